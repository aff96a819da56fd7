import type { Transaction } from '../../../ground/database/database.ts'
import type { Directory } from '../../directories/index.ts'
import { keepDirectoryHandles, type StoredHandle, vouchedForAsOthers } from '../../persons/index.ts'
import { notUnique } from '../errors.ts'
import type { PushedHandle } from './read-user.ts'

export type KeptHandles = Awaited<ReturnType<typeof keepHandles>>

/** Gives the handles before and after, for the audit log. Throws a 409 where somebody vouches for an address as another person's. */
export async function keepHandles(
  tx: Transaction,
  organizationId: string,
  { personId, directory }: { personId: string; directory: Directory },
  wanted: PushedHandle[],
) {
  // A number, such as that of a reception, may be several persons'.
  const addresses = wanted.filter(({ type }) => type === 'EmailAddress')
  const [{ before, after }, others] = await Promise.all([
    keepDirectoryHandles(tx, organizationId, { personId, directoryId: directory.id }, wanted),
    vouchedForAsOthers(tx, organizationId, personId, addresses),
  ])
  const clash = addresses.find(({ key }) => others.some((other) => other.key === key))
  if (clash) throw notUnique(`${clash.path}: ${ofAnother(directory)}`)
  return { before: before.map(toAudited), after: after.map(toAudited) }
}

const ofAnother = ({ adopt }: Directory) =>
  'is vouched for as the address of a person who is not this user; ' +
  (adopt
    ? 'the directory adopts persons for whom an admin key vouched by an address in one of its email_domains, but nobody who is kept by a ' +
      'directory, may enter the console, or signs in elsewhere'
    : 'adoption, which an administrator of Signet switches on for the directory (adopt), makes that person the user')

/** As `conceal` knows them. */
const toAudited = ({ type, value, verified, vouchedBy }: StoredHandle) => ({ type, value, verified, vouchedBy })
