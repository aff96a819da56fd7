import './design/tokens.css'
import { createRoot } from 'react-dom/client'
import { Console } from './app/console.tsx'
import { applyTheme } from './app/theme.ts'
import { replaceFirstForm } from './entrance/first-form.ts'
import { watchPresence } from './session/presence.ts'

applyTheme()
watchPresence(window)
// A page that the browser kept may be somebody else's by now.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
const root = document.getElementById('console')
if (root) {
  replaceFirstForm(root)
  createRoot(root).render(<Console />)
}
