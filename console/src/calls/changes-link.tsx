import { ButtonLink } from '../design/button.tsx'
import { useMay } from '../session/session.ts'

/** Leads to what was changed of a thing, by what the audit log calls it; nothing where the log may not be read. */
export const ChangesLink = ({ target }: { target: string }) =>
  useMay('audit-log:read') && (
    <ButtonLink to={`/audit-log?target=${encodeURIComponent(target)}`} tone="quiet" icon="audit-log">
      Changes
    </ButtonLink>
  )
