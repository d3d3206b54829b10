const browser = ['window', 'document', 'getComputedStyle', 'requestAnimationFrame', 'ResizeObserver', 'ImageData', 'Node', 'location', 'matchMedia', 'performance', 'devicePixelRatio', 'UPLOT_VERSION', 'history', 'URLSearchParams', 'Intl', 'setInterval', 'clearInterval', 'clearTimeout'];
const node = ['URL', 'process', 'console', 'Buffer', 'setTimeout'];
const known = (names) => Object.fromEntries(names.map((name) => [name, 'readonly']));

export default [
  { ignores: ['dist/', 'node_modules/'] },
  {
    languageOptions: { ecmaVersion: 2022, sourceType: 'module', globals: known([...browser, ...node]) },
    rules: {
      'no-undef': 'error', 'no-unused-vars': 'error', 'prefer-const': 'error', eqeqeq: 'error', 'no-eval': 'error', 'no-implied-eval': 'error', 'no-shadow': 'error',
      'no-restricted-properties': ['error', ...['innerHTML', 'outerHTML', 'insertAdjacentHTML'].map((property) => ({ property, message: 'names come from files: text only' }))],
    },
  },
];
