import { versionMismatch } from '../errors.ts'
import { toEntityTag } from '../schema/to-answer.ts'

/**
 * Whether a list of entity tags has this version, or is `*`. Ours are weak, which a client need not repeat: tags are compared by what is in
 * the quotes (RFC 9110, 8.8.3.2).
 */
export const namesVersion = (header: string, version: number): boolean =>
  header.split(',').some((tag) => ['*', toEntityTag(version), toEntityTag(version).slice(2)].includes(tag.trim()))

/** Throws a 412 where `If-Match` is there and does not name this version. `If-None-Match` is answered for all routes alike. */
export function requireVersion(ifMatch: string | undefined, version: number): void {
  if (ifMatch !== undefined && !namesVersion(ifMatch, version)) throw versionMismatch()
}
