import { readShownText } from '../../ground/runtime/shown-name.ts'

/** What a provider says of a person besides the address, in the names of OpenID Connect Core (5.1). It proves nothing. */
export type Profile = {
  name?: string
  given_name?: string
  family_name?: string
  preferred_username?: string
  picture?: string
  locale?: string
}

const members = ['name', 'given_name', 'family_name', 'preferred_username', 'picture', 'locale'] as const
const maxLength = 200
const maxPictureLength = 2_048

/** Takes the members of a profile from the claims of a provider, which may say anything. One that breaks its rule is left out. */
export function readProfile(claims: unknown): Profile {
  if (typeof claims !== 'object' || claims === null) return {}
  const given = claims as Record<string, unknown>
  const read = (member: (typeof members)[number]) =>
    member === 'picture' ? readPicture(given[member]) : readShownText(given[member], maxLength)
  return Object.fromEntries(members.flatMap((member) => entryOf(member, read(member))))
}

const entryOf = (member: string, value: string | undefined) => (value === undefined ? [] : [[member, value]])

/** A page of an application may load it, so it has no user name and no password. */
function readPicture(value: unknown): string | undefined {
  const text = readShownText(value, maxPictureLength)
  const url = text !== undefined && /^https:\/\/\S+$/i.test(text) ? URL.parse(text) : null
  return url && url.username === '' && url.password === '' ? text : undefined
}
