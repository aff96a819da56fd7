import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useMemo, useState } from 'react'
import { Button } from '../design/button.tsx'
import { HelpButton } from '../design/help.tsx'
import { Icon, Mark } from '../design/icon.tsx'
import { laterPart } from '../design/later-part.tsx'
import { signedOutPath } from '../entrance/signed-out.ts'
import { countBySection } from '../home/notices.ts'
import { leave, NavLink, Outlet, ScrollRestoration, useLocation } from '../router/index.ts'
import { entrancePath } from '../service/address.ts'
import { noticesQuery } from '../service/notices-query.ts'
import { hasSession, isReplaced } from '../service/page-session.ts'
import { queries } from '../service/queries.ts'
import { type Session, signOut } from '../service/session.ts'
import { isOperators, may, onlyReads, readsAll, subjectOf, useSession } from '../session/session.ts'
import { type Section, sectionsOf } from './navigation.ts'
import { OrganizationSwitch } from './organization-switch.tsx'
import styles from './shell.module.css'
import { ShortcutsDialog } from './shortcuts-dialog.tsx'
import { ThemeButton } from './theme-button.tsx'
import { type Palette, usePalette } from './use-palette.ts'
import { useShortcuts } from './use-shortcuts.ts'

/** A quarter of the first script, if it came with it. */
const CommandPalette = laterPart(async () => (await import('./command-palette.tsx')).CommandPalette, {
  Waiting: ({ palette }: PaletteProps) => palette.isOpen && <PaletteToCome palette={palette} />,
  Missing: ({ palette, failure }) => palette.isOpen && <PaletteMissing palette={palette}>{failure}</PaletteMissing>,
})

type PaletteProps = { palette: Palette }

/** What stands around every page: the sections, whose they are, and the ways to get about. */
export function Shell() {
  const session = useSession()
  const palette = usePalette()
  const [areShortcutsOpen, setShortcutsOpen] = useState(false)
  useShortcuts(sectionsOf(session), {
    openPalette: palette.open,
    openShortcuts: () => setShortcutsOpen(true),
  })
  return (
    <div className={styles.shell}>
      <button type="button" className={styles.skip} onClick={() => document.getElementById('main')?.focus()}>
        Skip to the page
      </button>
      <Side session={session} onSearch={palette.open} onShortcuts={() => setShortcutsOpen(true)} />
      <main id="main" tabIndex={-1} className={styles.main}>
        {onlyReads(session) && <p className={styles.readOnly}>{whatItReads(session)}</p>}
        <Outlet />
      </main>
      <ScrollRestoration />
      {palette.isOpen !== undefined && <CommandPalette palette={palette} />}
      <ShortcutsDialog isOpen={areShortcutsOpen} onClose={() => setShortcutsOpen(false)} />
    </div>
  )
}

/** What was typed before the script of the palette has come. Whoever presses something else meanwhile has given it up. */
function PaletteToCome({ palette: { typed, close } }: PaletteProps) {
  useEffect(() => {
    addEventListener('pointerdown', close)
    return () => removeEventListener('pointerdown', close)
  })
  return (
    <div role="status" className={styles.palette}>
      <bdi>{typed || 'Go to…'}</bdi>
    </div>
  )
}

/** What is typed is meant for the page again. */
function PaletteMissing({ palette: { takeOver, close }, children }: PaletteProps & { children: ReactNode }) {
  useEffect(takeOver)
  return (
    <div className={styles.palette}>
      {children}
      <Button size="small" tone="quiet" icon="cross" onClick={close}>
        Close
      </Button>
    </div>
  )
}

const whatItReads = (session: Session) =>
  readsAll(session)
    ? `${subjectOf(session).words} ${reads(session)}: you see everything and change nothing.`
    : `${subjectOf(session).words} ${reads(session)}, and changes nothing: ${session.scopes.join(', ')}.`

const reads = (session: Session) => (subjectOf(session).isSeveral ? 'read' : 'reads')

type SideProps = { session: Session; onSearch: () => void; onShortcuts: () => void }

function Side({ session, onSearch, onShortcuts }: SideProps) {
  const [isOpen, setOpen] = useState(false)
  const { pathname } = useLocation()
  const waiting = useWaiting(session)
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a narrow screen the menu closes when it has led somewhere
  useEffect(() => setOpen(false), [pathname])
  return (
    <div className={styles.side}>
      <header className={styles.head}>
        <Mark />
        <OrganizationSwitch />
        <span className={styles.menuButton}>
          <Button
            tone="quiet"
            icon={isOpen ? 'cross' : 'menu'}
            aria-label="Menu"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
        </span>
      </header>
      <div className={`${styles.fold} ${isOpen ? styles.open : ''}`}>
        <button type="button" className={styles.search} onClick={onSearch}>
          <Icon name="search" size={16} />
          <span>Go to…</span>
          <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
        <nav aria-label="Sections" className={styles.sections}>
          {sectionsOf(session).map((section) => (
            <SectionLink key={section.path} section={section} waiting={waiting.get(section.path) ?? 0} />
          ))}
        </nav>
        <footer className={styles.foot}>
          <ThemeButton />
          <Button tone="quiet" icon="keyboard" aria-label="Keyboard shortcuts" onClick={onShortcuts} />
          <HelpButton />
          <SignOutButton session={session} />
        </footer>
      </div>
    </div>
  )
}

/** `waiting`: how much in it needs attention. Its name stays the section's alone; the mark beside it has words of its own. */
function SectionLink({ section: { name, path, icon }, waiting }: { section: Section; waiting: number }) {
  const id = useId()
  return (
    <div className={styles.item}>
      <NavLink
        to={path}
        end={path === '/'}
        className={({ isActive }) => `${styles.section} ${isActive ? styles.active : ''}`}
        aria-describedby={waiting > 0 ? id : undefined}
      >
        <Icon name={icon} />
        {name}
      </NavLink>
      {waiting > 0 && (
        <span className={styles.waiting} id={id}>
          {waiting > maxShown ? `${maxShown}+` : waiting}
          <span className="visually-hidden">
            {waiting === 1 ? ' needs attention' : ' need attention'} in {name}
          </span>
        </span>
      )}
    </div>
  )
}

const maxShown = 99

/** Of each section by its path how much needs attention, for whoever may read that. */
function useWaiting(session: Session): ReadonlyMap<string, number> {
  const { data = [] } = useQuery({
    ...noticesQuery,
    enabled: !isOperators(session) && may(session, 'webhooks:read'),
  })
  return useMemo(() => countBySection(data), [data])
}

const isMac = /mac/i.test(navigator.userAgent)

function SignOutButton({ session }: { session: Session }) {
  const isPerson = session.by.type === 'person'
  const signOutOfPage = async () => {
    // Not of what somebody else began in another tab: the page says so instead.
    const isOwn = await hasSession().catch(() => true)
    if (isReplaced()) return
    if (isOwn) await signOut().catch(() => undefined)
    queries.clear()
    // From the top: nothing of the session stays in memory.
    location.assign(isPerson ? signedOutPath : entrancePath)
  }
  return (
    <Button tone="quiet" icon="out" onClick={() => leave(signOutOfPage)}>
      Sign out
    </Button>
  )
}
