/** Throws a 412 where `If-Match` is there and names no version of these. `If-None-Match` is answered for all routes alike. */
export function requireVersion(_ifMatch: string | undefined, _version: number): void {
  throw new Error('not built yet')
}
