import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

// The build must come out the same everywhere: it is committed, and CI compares.
export default defineConfig({
  base: '/ui/',
  // fragments: the page's policy forbids innerHTML.
  plugins: [svelte({ configFile: false, compilerOptions: { fragments: 'tree' } })],
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
})
