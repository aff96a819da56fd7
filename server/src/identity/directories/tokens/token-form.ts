import { keysWith } from '../../organizations/index.ts'

/** What a directory's own client sends as the bearer token: as an API key, with a prefix of its own. */
export const { make: makeDirectoryToken, read: parseDirectoryToken } = keysWith('signet_scim_')
