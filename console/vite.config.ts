import { basename } from 'node:path'
import { defineConfig } from 'vite'

/** What several pages use is one file, not one for each set of pages that share it. The charts stay apart, with uPlot. */
const shared = {
  name: 'shared',
  test: /src\/(design|service|session|webhooks\/trigger-kinds)(?!.*plot)/,
  minShareCount: 2,
}

/** `button.module.css` and `primary` give `button-primary`: the page has a form with these classes before any script runs. */
const generateScopedName = (name: string, file: string) => `${basename(file).split('.')[0]}-${name}`

export default defineConfig({
  root: import.meta.dirname,
  css: { modules: { generateScopedName } },
  // Relative addresses: one build serves below any path.
  base: './',
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: ['chrome123', 'firefox128', 'safari17.5'],
    // One style sheet of 9 KB: each file costs a slow processor more than its bytes.
    cssCodeSplit: false,
    rolldownOptions: { output: { codeSplitting: { groups: [shared] } } },
    // The policy allows no `data:` address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})
