import type { ComponentProps, ReactNode } from 'react'
import { Link } from '../router/index.ts'
import styles from './button.module.css'
import { Icon, type IconName } from './icon.tsx'

type Look = {
  tone?: 'primary' | 'plain' | 'quiet' | 'danger'
  icon?: IconName
  size?: 'small' | 'normal'
}

const classOf = ({ tone = 'plain', size = 'normal' }: Look, isSquare: boolean) =>
  [styles.button, styles[tone], styles[size], isSquare && styles.square].filter(Boolean).join(' ')

export type ButtonProps = Look & Omit<ComponentProps<'button'>, 'className'> & { busy?: boolean }

/** `busy`: its action is under way; it keeps its place and the focus, and does nothing. A button of an icon alone needs `aria-label`. */
export function Button({ tone, icon, size, busy = false, children, onClick, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      className={classOf({ tone, size }, !children)}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span className={styles.spinner} aria-hidden="true" /> : icon && <Icon name={icon} size={16} />}
      {children}
    </button>
  )
}

/** A button that leads to another page of the console. */
export function ButtonLink({ to, tone, icon, size, children }: Look & { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={classOf({ tone, size }, false)}>
      {icon && <Icon name={icon} size={16} />}
      {children}
    </Link>
  )
}

/** A button that leads out of the console, in a tab of its own: what is typed here stays. */
export const OutsideButton = ({ tone, icon, size, ...props }: Look & Omit<ComponentProps<'a'>, 'className'>) => (
  <a {...props} target="_blank" rel="noopener" className={classOf({ tone, size }, !props.children)}>
    {icon && <Icon name={icon} size={16} />}
    {props.children}
  </a>
)
