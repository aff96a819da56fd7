import { basename } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

/** What several pages use is one file, not one for each set of pages that share it. */
const shared = {
  name: 'shared',
  test: /src\/(design|service|session|webhooks\/trigger-kinds)/,
  minShareCount: 2,
}

/** `button.module.css` and `primary` give `button-primary`: the page has a form with these classes before any script runs. */
const generateScopedName = (name: string, file: string) => `${basename(file).split('.')[0]}-${name}`

/** The form in the page needs the style sheet alone: it comes first, and scripts do not share the line with it. */
const stylesFirst: Plugin = {
  name: 'styles-first',
  transformIndexHtml: {
    order: 'post',
    handler: (page) => {
      const sheet = /\n\s*<link rel="stylesheet"[^>]*>/.exec(page)?.[0] ?? ''
      return page
        .replace(sheet, '')
        .replace(/(?=\n\s*<script )/, sheet)
        .replace(/<script type="module"|<link rel="modulepreload"/g, '$& fetchpriority="low"')
    },
  },
}

export default defineConfig({
  plugins: [stylesFirst],
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
