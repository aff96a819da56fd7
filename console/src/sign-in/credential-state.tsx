import { Badge } from '../design/badge.tsx'

/** Inactive ones came by a link, or were deactivated. */
export const CredentialState = ({ isActive }: { isActive: boolean }) =>
  isActive ? <Badge tone="good">active</Badge> : <Badge tone="warn">inactive</Badge>
