import { readShownText } from '../../../ground/runtime/shown-name.ts'
import type { Directory, WrittenUser } from '../../directories/index.ts'
import { type DirectoryHandle, handleRules, readHandle } from '../../persons/index.ts'
import { invalidValue } from '../errors.ts'
import { foldCase, type Resource } from '../schema/attributes.ts'

/** Of a request. What is kept of it is less: see `requireBounded`. */
export const maxUserBytes = 1_048_576
/** Of a member of a profile, as what a provider says. */
const maxShownLength = 200

/** `path`: where it stands in the resource. */
export type PushedHandle = DirectoryHandle & { path: string }
/** `active`: undefined where the resource says nothing of it. */
export type PushedUser = WrittenUser & { active: boolean | undefined; handles: PushedHandle[] }

/** What a resource says of a person. Throws `invalidValue`. */
export function readUser({ userName, externalId, active, ...rest }: Resource, directory: Directory): PushedUser {
  if (typeof userName !== 'string') throw invalidValue('userName: is required')
  const attributes = rest as Attributes
  return {
    userName,
    userNameKey: foldCase(userName),
    externalId: (externalId as string | undefined) ?? null,
    active: active as boolean | undefined,
    attributes,
    profile: profileOf(attributes),
    emailKeys: [...new Set((attributes.emails ?? []).flatMap(({ value }) => (value ? [foldCase(value)] : [])))],
    handles: handlesOf(attributes, directory),
  }
}

type Address = { value?: string; primary?: boolean }
/** Those that mean something here. */
type Attributes = {
  name?: { formatted?: string; givenName?: string; familyName?: string }
  displayName?: string
  locale?: string
  emails?: Address[]
  phoneNumbers?: Address[]
}

function profileOf({ name, displayName, locale }: Attributes) {
  const said = {
    name: displayName ?? name?.formatted,
    given_name: name?.givenName,
    family_name: name?.familyName,
    locale,
  }
  const shown = Object.entries(said).map(([member, value]) => [member, readShownText(value, maxShownLength)])
  return Object.fromEntries(shown.filter(([, value]) => value !== undefined))
}

/** What the directory vouches for comes first, then what is primary. */
function handlesOf({ emails = [], phoneNumbers = [] }: Attributes, { email_domains }: Directory): PushedHandle[] {
  const all = [
    ...emails.flatMap(({ value, primary }, index) => {
      const path = `emails[${index}].value`
      const handle = value ? readHandle('EmailAddress', value) : undefined
      if (value && !handle) throw invalidValue(`${path}: ${handleRules.EmailAddress}`)
      return handle ? [{ ...handle, path, primary, isVouched: email_domains.includes(domainOf(handle.key)) }] : []
    }),
    // Other numbers are no handles, and are kept as they are.
    ...phoneNumbers.flatMap(({ value, primary }, index) => {
      const handle = value ? readHandle('PhoneNumber', value) : undefined
      return handle ? [{ ...handle, path: `phoneNumbers[${index}].value`, primary, isVouched: false }] : []
    }),
  ].sort((one, other) => rankOf(other) - rankOf(one))
  const first = all.filter(
    ({ type, key }, index) => all.findIndex((each) => each.type === type && each.key === key) === index,
  )
  return first.map(({ primary: _, ...handle }) => handle)
}

const domainOf = (key: string) => key.slice(key.indexOf('@') + 1)
const rankOf = ({ isVouched, primary }: { isVouched: boolean; primary: boolean | undefined }) =>
  (isVouched ? 2 : 0) + (primary ? 1 : 0)
