import { hash } from 'node:crypto'

/** Of a code, a token or a session's id, as it is stored: the id has 256 random bits, which nobody can guess. */
export const hashOf = (id: string): Buffer => hash('sha256', id, 'buffer')
