export const style = `
:root { color-scheme: light dark; --ink: #1c1f23; --quiet: #5b636c; --paper: #fff; --back: #eef1f5; --edge: #dfe3e8; --line: #757e88; --hover: #f3f7fe; --key: #0b57d0; --on-key: #fff; --shade: 0 1px 2px #1c1f230f, 0 8px 28px #1c1f2314 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --quiet: #aab2bb; --paper: #1f2226; --back: #121417; --edge: #30353b; --line: #7b8590; --hover: #282d34; --key: #a8c7fa; --on-key: #062e6f; --shade: none }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--back); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 26rem; padding: 2rem; border: 1px solid var(--edge); border-radius: 1rem; background: var(--paper); box-shadow: var(--shade); overflow-wrap: anywhere; hyphens: auto }
@media (max-width: 24rem) { main { padding: 1.5rem 1.25rem } }
main:lang(ja) { line-break: strict; word-break: auto-phrase }
.brand { margin: 0 0 1.25rem; padding: 0 0 1.25rem; border-bottom: 3px solid var(--accent, var(--edge)); font-weight: 600 }
.brand img { display: block; max-width: 100%; max-height: 3rem; width: auto; height: auto; border-radius: .25rem }
@media (prefers-color-scheme: dark) { .brand img { padding: .375rem; background: #fff } }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; font-weight: 600; line-height: 1.25; text-wrap: balance }
p { margin: 0 0 1rem }
ul { margin: 0; padding: 0; list-style: none }
.quiet { color: var(--quiet); font-size: .9375rem }
.button { display: flex; align-items: center; justify-content: center; width: 100%; min-height: 2.75rem; margin: 0 0 .75rem; padding: .6rem 1rem; border: 1px solid var(--line); border-radius: .625rem; background: transparent; color: inherit; font: inherit; font-weight: 500; text-align: center; text-decoration: none; cursor: pointer }
.button:hover { border-color: var(--key); background: var(--hover) }
.button.first { border-color: var(--accent, var(--key)); background: var(--accent, var(--key)); color: var(--on-accent, var(--on-key)) }
.button.choice { justify-content: space-between; gap: 1rem; min-height: 3.25rem; text-align: start }
.button.choice::after { content: ''; flex: none; width: .5rem; height: .5rem; border: solid var(--quiet); border-width: 2px 2px 0 0; rotate: 45deg }
.button.plain { margin: 0 0 -.75rem; border-color: transparent; color: var(--quiet) }
.button:focus-visible, a:focus-visible { outline: 3px solid var(--key); outline-offset: 2px }
main > :last-child, form > :last-child { margin-bottom: 0 }
`
