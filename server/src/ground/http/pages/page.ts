import { createHash } from 'node:crypto'

export type Page = {
  /** Plain text; also the heading. */
  title: string
  /** HTML; all text that is not our own must have gone through `escapeHtml`. */
  body: string
  /** The page goes there at once: an address as `URL` serializes it. */
  redirectTo?: string
}

const style = `
:root { color-scheme: light dark; --ink: #1c1f23; --quiet: #5b636c; --paper: #fff; --back: #eef1f5; --edge: #dfe3e8; --line: #8a939d; --hover: #f3f7fe; --key: #0b57d0; --on-key: #fff; --shade: 0 1px 2px #1c1f230f, 0 8px 28px #1c1f2314 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --quiet: #aab2bb; --paper: #1f2226; --back: #121417; --edge: #30353b; --line: #7b8590; --hover: #282d34; --key: #a8c7fa; --on-key: #062e6f; --shade: none }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--back); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 26rem; padding: 2rem; border: 1px solid var(--edge); border-radius: 1rem; background: var(--paper); box-shadow: var(--shade); overflow-wrap: anywhere }
@media (max-width: 24rem) { main { padding: 1.5rem 1.25rem } }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; font-weight: 600; line-height: 1.25; text-wrap: balance }
p { margin: 0 0 1rem }
ul { margin: 0; padding: 0; list-style: none }
.quiet { color: var(--quiet); font-size: .9375rem }
.button { display: flex; align-items: center; justify-content: center; width: 100%; min-height: 2.75rem; margin: 0 0 .75rem; padding: .6rem 1rem; border: 1px solid var(--line); border-radius: .625rem; background: transparent; color: inherit; font: inherit; font-weight: 500; text-align: center; text-decoration: none; cursor: pointer }
.button:hover { border-color: var(--key); background: var(--hover) }
.button.first { border-color: var(--key); background: var(--key); color: var(--on-key) }
.button.choice { justify-content: space-between; gap: 1rem; min-height: 3.25rem; text-align: start }
.button.choice::after { content: ''; flex: none; width: .5rem; height: .5rem; border: solid var(--quiet); border-width: 2px 2px 0 0; rotate: 45deg }
.button.plain { margin: 0 0 -.75rem; border-color: transparent; color: var(--quiet) }
.button:focus-visible, a:focus-visible { outline: 3px solid var(--key); outline-offset: 2px }
main > :last-child, form > :last-child { margin-bottom: 0 }
`
const styleHash = createHash('sha256').update(style).digest('base64')

export const renderPage = ({ title, body }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`

/** Allows only our own style and forms. No referrer: the page's address may carry a request. */
export const pageHeaders = ({ redirectTo }: Page): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  ...(redirectTo !== undefined && { refresh: `0;url=${redirectTo}` }),
})

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
