import { outcomes } from './outcomes.ts'

const options = Object.entries(outcomes).map(([value, words]) => `<option value="${value}">${words}</option>`)

const style = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { min-height: 100vh; margin: 0; display: grid; place-items: center; background: light-dark(#eef1f6, #12151b) }
main { box-sizing: border-box; width: min(26rem, 92vw); margin: 1rem; padding: 2rem; border-radius: 1rem;
  background: light-dark(#fff, #1c212b); box-shadow: 0 .5rem 2rem #0003 }
h1 { margin: 0; font-size: 1.5rem } p { margin: .25rem 0 1.5rem; color: light-dark(#5a6472, #a3adba) }
label { display: block; font-weight: 600 }
input, select, button { box-sizing: border-box; width: 100%; margin: .25rem 0 1rem; padding: .6rem .75rem; font: inherit;
  border: 1px solid light-dark(#c3cad5, #465061); border-radius: .5rem; background: light-dark(#fff, #12151b); color: inherit }
button { margin: .5rem 0 0; font-weight: 600; cursor: pointer }
button:not([name]) { border-color: #2f5bd7; background: #2f5bd7; color: #fff }
:focus-visible { outline: 3px solid #7d9cf0; outline-offset: 2px }`

export const loginPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Example Login</title>
<meta name="viewport" content="width=device-width"><style>${style}</style></head><body><main>
<h1>Example Login</h1><p>For trying things out: any name and any address will do.</p><form method="post">
<label>Name <input name="name" autocomplete="name" placeholder="Ada Lovelace"></label>
<label>E-mail <input name="email" type="email" autocomplete="email" placeholder="ada@example.com"></label>
<label>What happens <select name="outcome">${options.join('')}</select></label>
<button>Log in</button><button name="refuse" value="yes">No, thanks</button></form></main></body></html>
`
