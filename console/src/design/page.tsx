import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from '../router/index.ts'
import { PageHelp } from './help.tsx'
import { Icon } from './icon.tsx'
import { plain } from './marked.ts'
import styles from './page.module.css'
import { Marked } from './text.tsx'

type PageProps = {
  /** The level-1 heading, and the title of the window. */
  title: string
  /** Instead of the plain title, where it needs more than text; it says the same. */
  heading?: ReactNode
  /** One sentence that says what the page is for. */
  lead?: ReactNode
  actions?: ReactNode
  /** The list that the page belongs to. */
  parent?: { to: string; name: string }
  children?: ReactNode
}

/** Since the browser loaded the console somebody pressed something; `navigator.userActivation` outlives a reload. */
let isInUse = false
const beginUse = () => {
  isInUse = true
}
for (const kind of ['keydown', 'pointerdown']) addEventListener(kind, beginUse, { once: true, capture: true })

/** What was opened above a page before the page itself had come keeps the focus. */
const isInDialog = () => Boolean(document.activeElement?.closest('[role="dialog"][data-open]'))

/**
 * Every page is one: its heading takes the focus when the page opens, so that a screen reader says where one is. Of what the
 * browser has just loaded it says that itself, and the first Tab leads to the way past the sections.
 */
export function Page({ title, heading, lead, actions, parent, children }: PageProps) {
  const headingRef = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${plain(title)} · Signet`
  }, [title])
  useEffect(() => {
    if (isInUse && !isInDialog()) headingRef.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <div className={styles.titles}>
          {parent && (
            <Link to={parent.to} className={styles.parent}>
              <Icon name="left" size={14} />
              {parent.name}
            </Link>
          )}
          <h1 ref={headingRef} tabIndex={-1} className={styles.title}>
            {heading ?? <Marked>{title}</Marked>}
          </h1>
          {lead && (
            <p className={styles.lead}>
              {lead} <PageHelp />
            </p>
          )}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

type PanelProps = {
  title?: string
  description?: ReactNode
  actions?: ReactNode
  /** The content reaches the edges, as a table does. */
  flush?: boolean
  children?: ReactNode
}

/** A part of a page with a heading of level 2. */
export function Panel({ title, description, actions, flush = false, children }: PanelProps) {
  return (
    <section className={styles.panel} aria-label={title}>
      {(title || actions) && (
        <header className={styles.panelHeader}>
          <div>
            {title && <h2 className={styles.panelTitle}>{title}</h2>}
            {description && <p className={styles.panelDescription}>{description}</p>}
          </div>
          {actions && <div className={styles.actions}>{actions}</div>}
        </header>
      )}
      <div className={flush ? styles.flush : styles.body}>{children}</div>
    </section>
  )
}

/** Panels side by side where there is room. */
export const Columns = ({ children }: { children: ReactNode }) => <div className={styles.columns}>{children}</div>

/** Things in a row, which wraps. */
export const Row = ({ children }: { children: ReactNode }) => <div className={styles.row}>{children}</div>

/** Things one below the other. */
export const Stack = ({ children }: { children: ReactNode }) => <div className={styles.stack}>{children}</div>
