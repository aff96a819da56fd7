/** The closed list of refusals in the dialect of SCIM (RFC 7644, 3.12). Whatever else is thrown becomes a 500, or a 503 with `Retry-After`. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness'

export class ScimError extends Error {
  readonly status: number
  readonly scimType: ScimType | undefined
  readonly headers: Record<string, string>

  /** `detail` names the attribute and the rule in plain words. */
  constructor(status: number, detail: string, scimType?: ScimType, headers: Record<string, string> = {}) {
    super(detail)
    this.status = status
    this.scimType = scimType
    this.headers = headers
  }
}

const typed = (status: number, scimType: ScimType) => (detail: string) => new ScimError(status, detail, scimType)

export const invalidFilter = typed(400, 'invalidFilter')
export const invalidPath = typed(400, 'invalidPath')
export const invalidSyntax = typed(400, 'invalidSyntax')
export const invalidValue = typed(400, 'invalidValue')
export const immutable = typed(400, 'mutability')
export const noTarget = typed(400, 'noTarget')
export const tooManyTerms = typed(400, 'tooMany')
export const notUnique = typed(409, 'uniqueness')
export const tierLimit = (detail: string) => new ScimError(403, detail)
export const noSuchResource = () => new ScimError(404, 'id: no such resource in this directory')
export const versionMismatch = () => new ScimError(412, 'If-Match: the resource has changed since')
export const tooLarge = (detail: string) => new ScimError(413, detail)
