import { Dialog } from '../design/dialog.tsx'
import { Properties } from '../design/properties.tsx'
import { useSession } from '../session/session.ts'
import { sectionsOf } from './navigation.ts'

/** All keys, in a list. */
export function ShortcutsDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const sections = sectionsOf(useSession())
  return (
    <Dialog isOpen={isOpen} title="Keyboard shortcuts" onClose={onClose}>
      <Properties
        items={[
          ['Ctrl K or ⌘ K', 'Go to a page, or do something'],
          ['/', 'To the search of the page'],
          ['j, k or arrows', 'To the next or the previous row of a table'],
          ['?', 'This list'],
          ...sections.map(({ name, key }) => [`g ${key}`, name] as const),
        ]}
      />
    </Dialog>
  )
}
