// Bundles the page into dist/, which stays in the tree: building weft needs neither npm nor this.

import { build } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('node_modules/uplot/package.json', import.meta.url)));
const licence = readFileSync(new URL('node_modules/uplot/LICENSE', import.meta.url), 'utf8');
const banner = `/* weft report, Apache License 2.0. With uPlot ${manifest.version}:\n${licence.trimEnd()} */`;

for (const [entry, file] of [['src/main.js', 'dist/report.js'], ['src/style.css', 'dist/report.css']]) {
  await build({
    entryPoints: [entry], outfile: file, bundle: true, minify: true, target: 'es2021', format: entry.endsWith('js') ? 'iife' : undefined,
    banner: { js: banner, css: `/* weft report, Apache License 2.0. With uPlot ${manifest.version}, MIT licence. */` }, charset: 'ascii', legalComments: 'none',
    define: { UPLOT_VERSION: JSON.stringify(manifest.version) },
  });
}

const text = readFileSync('dist/report.js', 'utf8');
if (/<\/script|<!--/i.test(text)) throw new Error('the bundle would end the script that it stands in');
writeFileSync('dist/LICENSES.txt', `report.js and report.css hold uPlot ${manifest.version} (https://github.com/leeoniya/uPlot):\n\n${licence}`);
