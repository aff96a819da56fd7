import { ProviderFailure } from './failure.ts'

const maxEmailLength = 254
const maxNameLength = 200
const subjectForm = /^[\x20-\x7e]{1,255}$/
const emailForm = /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]+$/u

/** What a provider calls the person for good: text, or a number that is written as text. */
export function readSubject(value: unknown): string {
  const subject = Number.isSafeInteger(value) && Number(value) > 0 ? String(value) : value
  if (isSubject(subject)) return subject
  throw new ProviderFailure('oidc_provider_error', 'profile: no usable subject')
}

/** As OpenID Connect has it (Core, section 2): text, and nothing that is written like it. */
export const isSubject = (value: unknown): value is string => typeof value === 'string' && subjectForm.test(value)

type GivenAttributes = { email: unknown; name: unknown; emailVerified: boolean }

/** What is shown, where the provider gave something that can be. Whether the address is vouched for is the connector's rule. */
export function readAttributes({ email, name, emailVerified }: GivenAttributes) {
  const address = isEmail(email) ? email : undefined
  return {
    ...(address !== undefined && { email: address }),
    emailVerified: address !== undefined && emailVerified,
    ...(isName(name) && { name: [...name.trim()].slice(0, maxNameLength).join('') }),
  }
}

/** Some write true as text or as one. */
export const isTrue = (value: unknown): boolean => value === true || value === 1 || value === 'true' || value === '1'

const isEmail = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxEmailLength && emailForm.test(value)

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.isWellFormed() && !/\p{Cc}/u.test(value)
