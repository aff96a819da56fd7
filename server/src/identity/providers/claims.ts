import { ProviderFailure } from './failure.ts'
import { readProfile } from './profile.ts'

const maxEmailLength = 254
const subjectForm = /^[\x20-\x7e]{1,255}$/
const emailForm = /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]+$/u

/** The provider's permanent id of the person: text, or a number, which becomes text. */
export function readSubject(value: unknown): string {
  const subject = Number.isSafeInteger(value) && Number(value) > 0 ? String(value) : value
  if (isSubject(subject)) return subject
  throw new ProviderFailure('oidc_provider_error', 'claims', 'no usable subject')
}

/** Printable ASCII of at most 255 characters (OpenID Connect Core, section 2). */
export const isSubject = (value: unknown): value is string => typeof value === 'string' && subjectForm.test(value)

type RawAttributes = { email: unknown; emailVerified: boolean; profile: unknown }

/**
 * The valid attributes of a person. The connector decides whether the address is verified; one that is not is given on all the same.
 * `profile`: its members by their names in OpenID Connect.
 */
export function readAttributes({ email, emailVerified, profile }: RawAttributes) {
  const address = isEmail(email) ? email : undefined
  return {
    ...(address !== undefined && { email: address }),
    emailVerified: address !== undefined && emailVerified,
    profile: readProfile(profile),
  }
}

/** Some providers write true as text or as 1. */
export const isTrue = (value: unknown): boolean => value === true || value === 1 || value === 'true' || value === '1'

const isEmail = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxEmailLength && emailForm.test(value)
