import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { useEffect } from 'react'
import { Icon } from '../design/icon.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { useNavigate } from '../router/index.ts'
import type { Session } from '../service/session.ts'
import { isOperators, may, useSession } from '../session/session.ts'
import styles from './command-palette.module.css'
import { type Command, signInsOf } from './found.ts'
import { actionsOf, sectionsOf } from './navigation.ts'
import type { Palette } from './use-palette.ts'
import { type Search, useSearch } from './use-search.ts'

/** Every page and action by its name, and whatever has a name, a handle or an ID that begins with what is typed. */
export function CommandPalette({ palette }: { palette: Palette }) {
  return (
    <Dialog.Root open={palette.isOpen === true} onOpenChange={(open) => !open && palette.close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup} aria-label="Go to">
          <Commands palette={palette} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Commands({ palette: { typed, type, isEntered, enter, takeOver, close } }: { palette: Palette }) {
  const session = useSession()
  const navigate = useNavigate()
  const search = useSearch(typed.trim(), !isOperators(session))
  const fixed = [...sectionsOf(session), ...actionsOf(session)].filter((each) => isCalled(each, typed))
  const signIns = mayReadSignIns(session) && isFoundNowhere(search, typed) ? signInsOf(typed.trim()) : []
  const commands = [...fixed.map((each) => ({ ...each, id: each.path })), ...search.found, ...signIns]
  const go = (path: string) => {
    close()
    navigate(path)
  }
  useEntered(isEntered, commands[0], go)
  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      items={commands}
      value={typed}
      onValueChange={type}
      autoHighlight="always"
      itemToStringValue={(command: Command) => command.name}
    >
      <Autocomplete.Input
        className={styles.input}
        placeholder="A page, an action, a name, an ID, an e-mail address…"
        aria-label="Go to"
        onFocus={takeOver}
        onKeyDown={({ key }) => key === 'Enter' && commands.length === 0 && enter()}
      />
      <Autocomplete.Status className={styles.status}>{wordsFor(search, commands.length)}</Autocomplete.Status>
      <Autocomplete.List className={styles.list}>
        {(command: Command) => (
          <Autocomplete.Item key={command.id} value={command} className={styles.item} onClick={() => go(command.path)}>
            <Icon name={command.icon} size={16} />
            <span className={styles.name}>
              <ShortText>{command.name}</ShortText>
            </span>
            {command.kind && <Soft>{command.kind}</Soft>}
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  )
}

const mayReadSignIns = (session: Session) =>
  !isOperators(session) && may(session, 'events:read') && may(session, 'persons:read')

const isFoundNowhere = ({ state, found }: Search, typed: string) =>
  typed !== '' && state === 'idle' && found.length === 0

const isCalled = ({ name }: { name: string }, typed: string) => name.toLowerCase().includes(typed.trim().toLowerCase())

/** Whoever pressed Enter early meant the first that there is. */
function useEntered(isEntered: boolean, first: Command | undefined, go: (path: string) => void) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `go` is another one each time
  useEffect(() => {
    if (isEntered && first) go(first.path)
  }, [isEntered, first?.path])
}

function wordsFor({ state, error }: Search, count: number) {
  if (state === 'failed') return `The search failed: ${error}`
  if (state === 'searching') return 'Searching…'
  return count === 0 && 'Nothing is called that, and nothing has this ID.'
}
