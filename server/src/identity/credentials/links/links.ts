import { noOpenLink } from '../../../ground/errors.ts'
import { existsLink } from './link-store.ts'

/** What an attempt to use a token of theirs needs. */
export const links = { kind: 'credential_link', exists: existsLink, notOpen: noOpenLink }
