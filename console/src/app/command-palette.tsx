import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { useState } from 'react'
import { Icon, type IconName } from '../design/icon.tsx'
import { useNavigate } from '../router/index.ts'
import { isOperators, useSession } from '../session/session.ts'
import styles from './command-palette.module.css'
import { actionsOf, sectionsOf } from './navigation.ts'

type Command = { id: string; name: string; path: string; icon: IconName }

/** Every page and action by its name; a UUID or an address leads to what has it. */
export function CommandPalette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup} aria-label="Go to">
          <Commands onClose={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Commands({ onClose }: { onClose: () => void }) {
  const session = useSession()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const fixed = [...sectionsOf(session), ...actionsOf(session)].map((each) => ({ ...each, id: each.path }))
  const commands: Command[] = [...fixed, ...(isOperators(session) ? [] : searches(typed.trim()))]
  const go = (path: string) => {
    onClose()
    navigate(path)
  }
  return (
    <Autocomplete.Root
      open
      inline
      items={commands}
      value={typed}
      onValueChange={setTyped}
      autoHighlight="always"
      itemToStringValue={(command: Command) => command.name}
      filter={(command: Command, text) => isFound(command, text)}
    >
      <Autocomplete.Input
        className={styles.input}
        placeholder="A page, an action, an ID, an e-mail address…"
        aria-label="Go to"
      />
      <Autocomplete.Empty className={styles.empty}>Nothing has this name.</Autocomplete.Empty>
      <Autocomplete.List className={styles.list}>
        {(command: Command) => (
          <Autocomplete.Item key={command.id} value={command} className={styles.item} onClick={() => go(command.path)}>
            <Icon name={command.icon} size={16} />
            <bdi>{command.name}</bdi>
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  )
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What was typed may be somebody's handle, or the id of anything. */
function searches(typed: string): Command[] {
  if (uuid.test(typed))
    return [
      { id: 'event', name: `Event ${typed}`, path: `/events/${typed}`, icon: 'events' },
      {
        id: 'deliveries',
        name: `Deliveries of event ${typed}`,
        path: `/deliveries?event_id=${typed}`,
        icon: 'deliveries',
      },
      { id: 'webhook', name: `Webhook ${typed}`, path: `/webhooks/${typed}`, icon: 'webhooks' },
      { id: 'person', name: `Person ${typed}`, path: `/persons/${typed}`, icon: 'persons' },
    ]
  if (typed.length < 3) return []
  const path = `/persons?handle=${encodeURIComponent(typed)}`
  return [{ id: 'handle', name: `Persons with the handle ${typed}`, path, icon: 'search' }]
}

const isFound = ({ id, name, path }: Command, text: string) =>
  id !== path || name.toLowerCase().includes(text.trim().toLowerCase())
