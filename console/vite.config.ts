import { basename } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

/**
 * Few files, since each is compressed by itself, and since what is loaded opens without a network: React; the first page; what stands
 * around every page, with Home; all other pages. Each takes what it imports and none before it has. Apart stays what few open.
 */
const groups = [
  { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
  { name: 'first', test: /src\/(main|entrance\/entrance)\.tsx$/ },
  {
    name: 'console',
    test: /src\/(app\/start|home\/home-page|entrance\/other-ways)\.tsx$|src\/(calls|design)\/.*\.tsx?$/,
  },
  { name: 'pages', test: /src\/.*(?<!command-palette|continue-with|link-page|invitation-page)\.tsx?$/ },
].map((group, place, all) => ({ ...group, priority: all.length - place }))

/** `button.module.css` and `primary` give `button-primary`: the page has a form with these classes before any script runs. */
const generateScopedName = (name: string, file: string) => `${basename(file).split('.')[0]}-${name}`

/** Whoever has a session needs the rest of the console: it is fetched beside the first script, not after it. */
const ofSignedIn = (files: readonly string[]) =>
  files
    .filter((name) => /\/console-[^/]*\.(?:js|css)$/.test(name))
    .map(
      (name) => `<link rel="${name.endsWith('.css') ? 'stylesheet' : 'modulepreload'}" crossorigin href="./${name}">`,
    )
    .join('')

/** The form in the page needs the style sheet alone: it comes first, and scripts do not share the line with it. */
const stylesFirst: Plugin = {
  name: 'styles-first',
  transformIndexHtml: {
    order: 'post',
    handler: (page, { bundle = {} }) => {
      const sheet = /\n\s*<link rel="stylesheet"[^>]*>/.exec(page)?.[0] ?? ''
      return page
        .replace(sheet, '')
        .replace(/(?<=<!-- elsewhere -->)/, () => ofSignedIn(Object.keys(bundle)))
        .replace(/(?=\n\s*<script )/, sheet)
        .replace(/<script type="module"|<link rel="modulepreload"/g, '$& fetchpriority="low"')
        .replace(/(?<=<script )(?=[^>]*src="[^"]*\/(first-[^"/]*)")/, 'data-build="$1" ')
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
    rolldownOptions: { output: { codeSplitting: { groups } } },
    // The policy allows no `data:` address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})
