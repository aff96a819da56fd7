import { useLocation } from '../router/index.ts'
import { OutsideButton } from './button.tsx'
import { helpPageOf } from './help-pages.ts'

/** Where the help is, whatever stands in front of Signet. */
export const helpPath = new URL('../help/', document.baseURI).pathname

export const HelpButton = () => <OutsideButton href={helpPath} tone="quiet" icon="help" aria-label="Help" />

/** To what explains this page, if anything does. */
export function PageHelp() {
  const page = helpPageOf(useLocation().pathname)
  return (
    page && (
      <a href={helpPath + page} target="_blank" rel="noopener">
        More in the help
      </a>
    )
  )
}
