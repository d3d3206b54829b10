// A headless Chromium, driven over a pipe by its own protocol: nothing to install, no port to listen on.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAMS = [process.env.WEFT_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const program = () => PROGRAMS.find((path) => path && existsSync(path));

export class Browser {
  static async start() {
    const browser = new Browser();
    browser.home = mkdtempSync(join(tmpdir(), 'weft-browser-'));
    browser.process = spawn(program(), ['--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe',
      '--no-first-run', '--disable-extensions', '--disable-background-networking', '--disable-dev-shm-usage',
      `--user-data-dir=${browser.home}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    browser.waiting = new Map();
    browser.events = [];
    browser.number = 0;
    browser.listen();
    const { targetInfos } = await browser.send('Target.getTargets');
    const page = targetInfos.find((target) => target.type === 'page');
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId: page.targetId, flatten: true });
    browser.session = sessionId;
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await browser.send(`${domain}.enable`);
    return browser;
  }

  listen() {
    let rest = '';
    this.process.stdio[4].setEncoding('utf8');
    this.process.stdio[4].on('data', (text) => {
      const messages = (rest + text).split('\0');
      rest = messages.pop();
      for (const message of messages) this.take(JSON.parse(message));
    });
    this.process.on('exit', () => {
      for (const { fail } of this.waiting.values()) fail(new Error('the browser has ended'));
      this.waiting.clear();
    });
  }

  take(message) {
    if (!message.id) {
      this.events.push(message);
      return;
    }
    const { done, fail } = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) fail(new Error(message.error.message));
    else done(message.result);
  }

  send(method, params = {}) {
    const id = ++this.number;
    const message = { id, method, params, ...(this.session ? { sessionId: this.session } : {}) };
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail });
      this.process.stdio[3].write(`${JSON.stringify(message)}\0`);
    });
  }

  /** The value of an expression in the page; promises are awaited. */
  async ask(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async view({ width = 1280, height = 900, scheme = 'light', media = '', ratio = 1 } = {}) {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: ratio, mobile: false });
    await this.send('Emulation.setEmulatedMedia', { media, features: [{ name: 'prefers-color-scheme', value: scheme }] });
  }

  /** Opens a file and waits until the page says that it is there, and has been painted. */
  async open(file) {
    this.events.length = 0;
    await this.send('Page.navigate', { url: `file://${file}` });
    await this.until('document.documentElement.dataset.ready === "true"');
    await this.settle();
  }

  async until(expression, milliseconds = 20_000) {
    const end = Date.now() + milliseconds;
    while (!(await this.ask(expression).catch(() => false))) {
      if (Date.now() > end) throw new Error(`in vain waited for: ${expression}\n${this.problems().join('\n')}`);
      await new Promise((done) => { setTimeout(done, 20); });
    }
  }

  settle() {
    return this.ask('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))');
  }

  async press(key, code = key, number = 0, modifiers = 0) {
    const one = { key, code, windowsVirtualKeyCode: number, modifiers, ...(key === 'Enter' ? { text: '\r' } : {}) };
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...one });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...one });
  }

  /** What the page complained of since it was opened. */
  problems() {
    return this.events.flatMap(({ method, params }) => {
      if (method === 'Runtime.exceptionThrown') return [params.exceptionDetails.exception?.description ?? params.exceptionDetails.text];
      if (method === 'Log.entryAdded' && params.entry.level === 'error') return [params.entry.text];
      if (method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(params.type)) return [params.args.map((a) => a.value ?? a.description).join(' ')];
      return [];
    });
  }

  /** Addresses that the page asked for, but itself and what is written into it. */
  requests() {
    return this.events.filter(({ method }) => method === 'Network.requestWillBeSent')
      .map(({ params }) => params.request.url).filter((url) => !url.startsWith('file:') && !url.startsWith('data:'));
  }

  async picture(clip) {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: Boolean(clip), ...(clip ? { clip: { ...clip, scale: 1 } } : {}) });
    return Buffer.from(data, 'base64');
  }

  async stop() {
    const gone = new Promise((done) => { this.process.on('exit', done); });
    this.session = undefined;
    this.send('Browser.close').catch(() => {});
    await gone;
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}
