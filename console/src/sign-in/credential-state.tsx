import { Badge } from '../design/badge.tsx'

/** Inactive ones wait for an admin key, or were deactivated. */
export const CredentialState = ({ isActive }: { isActive: boolean }) =>
  isActive ? <Badge tone="good">active</Badge> : <Badge tone="warn">inactive</Badge>
