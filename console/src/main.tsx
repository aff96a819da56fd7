import './design/tokens.css'
import { createRoot } from 'react-dom/client'
import { applyTheme } from './app/theme.ts'
import { Entrance } from './entrance/entrance.tsx'
import { replaceFirstForm } from './entrance/first-form.ts'
import { isEntrance } from './service/address.ts'

applyTheme()
// A page that the browser kept may be somebody else's by now.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
const root = document.getElementById('console')
if (root) {
  replaceFirstForm(root)
  if (isEntrance) createRoot(root).render(<Entrance />)
  else void import('./app/start.tsx').then(({ start }) => start(createRoot(root)))
}
