import type { ReactNode } from 'react'
import { ButtonLink } from '../design/button.tsx'
import { Notice } from '../design/state.tsx'
import { Soft } from '../design/text.tsx'
import type { Scope } from '../service/session.ts'
import { lacks, useMay } from '../session/session.ts'

/** Above a form that the key may not send: why. Nothing where it may. */
export const Lacking = ({ scope }: { scope: Scope }) =>
  useMay(scope) ? null : <Notice tone="warn">{lacks(scope)}</Notice>

/** Leads to the page that creates one of a list; where the key may not, it says why. */
export function CreateLink({ to, scope, children }: { to: string; scope: Scope; children: ReactNode }) {
  if (!useMay(scope)) return <Soft>{lacks(scope)}</Soft>
  return (
    <ButtonLink to={to} tone="primary" icon="plus">
      {children}
    </ButtonLink>
  )
}
