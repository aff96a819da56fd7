import type { ComponentProps, MouseEvent } from 'react'
import { hrefOf, type NavigateOptions, navigate, useShown } from './router.ts'

type LinkProps = Omit<ComponentProps<'a'>, 'href'> & NavigateOptions & { to: string | { search: string } }

const pathOf = (to: LinkProps['to'], here: string) => {
  const path = typeof to === 'string' ? to : `?${to.search.replace(/^\?/, '')}`
  return path.startsWith('?') ? here + path : path
}

/** To another page of the console; in a new tab where the browser is asked for one. */
export function Link({ to, replace, preventScrollReset, state, onClick, ...props }: LinkProps) {
  const path = pathOf(to, useShown()?.place.pathname ?? '/')
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    if (event.defaultPrevented || !isPlain(event) || (props.target && props.target !== '_self')) return
    event.preventDefault()
    void navigate(path, { replace: replace || isHere(path), preventScrollReset, state })
  }
  return <a {...props} href={hrefOf(path)} onClick={follow} />
}

/** The same address again is no new entry of the history. */
const isHere = (path: string) => hrefOf(path) === location.pathname + location.search + location.hash

const isPlain = ({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent) =>
  button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey

type NavLinkProps = Omit<LinkProps, 'to' | 'className'> & {
  to: string
  /** Only at this very path, not below it. */
  end?: boolean
  className?: (state: { isActive: boolean }) => string
}

/** One that says whether it leads where one is. */
export function NavLink({ to, end = false, className, ...props }: NavLinkProps) {
  const here = (useShown()?.place.pathname ?? '/').replace(/(.)\/$/, '$1')
  const isActive = here === to || (!end && here.startsWith(`${to}/`))
  return <Link {...props} to={to} className={className?.({ isActive })} aria-current={isActive ? 'page' : undefined} />
}
