import type { SignInHandle } from '../../delivery/events/index.ts'
import { readHandle } from '../persons/index.ts'
import type { UpstreamIdentity } from '../providers/index.ts'
import type { Dependencies } from './dependencies.ts'

/** The address that a provider tells of somebody, whether it vouches for it or not. Undefined: none, or no address of a mailbox. */
export function toldHandle(
  organizationId: string,
  { email, emailVerified }: UpstreamIdentity,
  { handleHashes }: Pick<Dependencies, 'handleHashes'>,
): SignInHandle | undefined {
  const handle = email === undefined ? undefined : readHandle('EmailAddress', email)
  if (!handle) return undefined
  const { type, value } = handle
  return { type, value, hash: handleHashes.ofHandle(organizationId, type, value), verified: emailVerified }
}
