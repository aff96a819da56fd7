/** One row of the table that answers `/Schemas` and says how attributes are read, compared, changed and shown (RFC 7643, 7). */
export type Attribute = {
  /** Canonical. What clients write is compared without regard to case. */
  name: string
  description: string
  type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex'
  multiValued: boolean
  required: boolean
  caseExact: boolean
  mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly'
  returned: 'always' | 'never' | 'default' | 'request'
  uniqueness: 'none' | 'server'
  /** Usual values; others are taken too. */
  canonicalValues?: string[]
  referenceTypes?: string[]
  /** Of a complex attribute. */
  subAttributes?: Attribute[]
}

export type Schema = { id: string; name: string; description: string; attributes: Attribute[] }

/** A kind of resource: its own schema, and those that extend it. `endpoint`: `/Users`. */
export type ResourceSchema = Schema & { endpoint: string; extensions: Schema[] }

/** A resource by canonical names. What belongs to an extension stands in an object under its URN. */
export type Resource = Record<string, unknown>

/**
 * What a filter or a change names. `attribute` is undefined where the name is legal and nobody knows it; `extension`: the URN of the
 * extension that it belongs to.
 */
export type Path = { extension?: string; attribute: Attribute | undefined; sub?: Attribute }

/** The form in which an attribute is compared that is not `caseExact`. Keys that are stored for that are made with it. */
export const foldCase = (text: string) => text.normalize('NFC').toLowerCase()
