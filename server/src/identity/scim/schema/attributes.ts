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
  returned: 'always' | 'never' | 'default'
  uniqueness: 'none' | 'server'
  /** Usual values; others are taken too, but where `refuseOthers` says why not. */
  canonicalValues?: string[]
  refuseOthers?: string
  referenceTypes?: string[]
  /** Characters of a text. */
  maxLength?: number
  /** Of a multi-valued attribute. */
  maxValues?: number
  /** Of a complex attribute. */
  subAttributes?: Attribute[]
}

export type Schema = { id: string; name: string; description: string; attributes: Attribute[] }

/** A kind of resource: its own schema, and those that extend it. `endpoint`: `/Users`. */
export type ResourceSchema = Schema & { endpoint: string; extensions: Schema[] }

/** A resource by canonical names. What belongs to an extension stands in an object under its URN. */
export type Resource = Record<string, unknown>

/** The form in which an attribute is compared that is not `caseExact`. Keys that are stored for that are made with it. */
export const foldCase = (text: string) => text.normalize('NFC').toLowerCase()

type Given = Partial<Omit<Attribute, 'name' | 'description' | 'type'>>

const common = {
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
} as const

const row =
  (type: Attribute['type'], always: Given = {}) =>
  (name: string, description: string, given: Given = {}): Attribute => ({
    name,
    description,
    type,
    ...common,
    ...always,
    ...given,
  })

export const text = row('string')
export const flag = row('boolean')
const time = row('dateTime', { mutability: 'readOnly' })
export const reference = row('reference', { caseExact: true })

export const complex = (name: string, description: string, subAttributes: Attribute[], given: Given = {}) =>
  row('complex', { subAttributes })(name, description, given)

/** As many as a person may have handles. */
const maxListed = 20

/** Several values with `type` and `primary`, of which at most one is primary. */
export const list = (name: string, description: string, types: string[], values: Attribute[]) =>
  complex(
    name,
    description,
    [
      ...values,
      text('type', 'What it is used for', types.length > 0 ? { canonicalValues: types } : {}),
      flag('primary', 'Whether it is the one to use first'),
    ],
    { multiValued: true, maxValues: maxListed },
  )

/** What every resource has, whatever its schema (RFC 7643, 3.1). */
export const commonAttributes: Attribute[] = [
  text('id', 'The id that Signet gave', {
    caseExact: true,
    mutability: 'readOnly',
    returned: 'always',
    uniqueness: 'server',
  }),
  text('externalId', 'The id that the directory gave', { caseExact: true, maxLength: 256, uniqueness: 'server' }),
  complex(
    'meta',
    'When and where',
    [
      text('resourceType', 'User or Group', { caseExact: true, mutability: 'readOnly' }),
      time('created', 'When it was made'),
      time('lastModified', 'When it was changed last'),
      reference('location', 'Its address', { mutability: 'readOnly', referenceTypes: ['uri'] }),
      text('version', 'The entity tag of its version', { caseExact: true, mutability: 'readOnly' }),
    ],
    { mutability: 'readOnly' },
  ),
]
