import { noOpenLink } from '../../../ground/errors.ts'
import { existsLink } from './link-store.ts'

/** What an attempt to use a token of theirs needs. */
export const links = { kind: 'directory_link', exists: existsLink, notOpen: noOpenLink }
