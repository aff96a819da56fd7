import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { errorCodes } from '../../error-codes.ts'
import { shownNamePattern } from '../../runtime/shown-name.ts'

/** The sentence that a client reads when the schema is not met: `name: must be 1 to 200 characters`. */
export const rule = (text: string) => ({ 'x-rule': text })

/** Of a text that a person is shown. */
export const shown = {
  pattern: shownNamePattern,
  'x-pattern-rule': 'must not contain control or format characters, such as line breaks',
}

/**
 * Names a schema in the OpenAPI document, which has it once among its components and refers to it elsewhere. A name stands
 * for one schema.
 */
export const named = <Schema extends TSchema>(name: string, schema: Schema): Schema =>
  Object.assign(schema, { 'x-component': name })

/**
 * One of the names from the settings, which may change while they are used. The document omits them, so that generated clients fit
 * every installation.
 */
export const oneOf = (names: string[]) => ({ 'x-one-of': names, ...rule(`must be one of ${names.join(', ')}`) })

/** How many items a list may have for each that it may have at most once its duplicates are removed. */
const maxRepeats = 10

/** A list whose duplicates are ignored: it may have so many different items. */
export const distinct = (most: number, of: string) => ({
  maxItems: most * maxRepeats,
  'x-max-distinct': most,
  ...rule(`must be an array of at most ${most} ${of}`),
})

/** An object in which unknown members are an error. */
export const closed = <Properties extends TProperties>(properties: Properties, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

export const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  ...rule('must be 1 to 200 characters'),
  description: 'What people call it: 1 to 200 characters.',
  examples: ['Example'],
})
/** One that the pages of a sign-in show. */
export const ShownName = {
  ...Name,
  ...shown,
  description: 'What people call it: 1 to 200 characters, without control and format characters.',
}
export const Description = Type.String({
  maxLength: 1000,
  ...rule('must be at most 1000 characters'),
  description: 'For people: at most 1,000 characters, empty by default.',
  examples: ['Looked after by the platform team'],
})
const exampleId = '0199a3f2-5c00-7000-8000-0242ac120002'
export const Uuid = Type.String({
  format: 'uuid',
  examples: [exampleId],
  description: 'A UUID.',
  pattern: '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$',
  ...rule('must be a UUID'),
})
export const Timestamp = Type.String({
  format: 'date-time',
  ...rule('must be a time as in RFC 3339'),
  description: 'A time as in RFC 3339; answers have it in UTC.',
  examples: ['2026-11-25T09:30:00.000Z'],
})
/** An id in a path: any text, because a text that is no id is simply not found. */
export const idInPath = (description: string) => Type.String({ description, examples: [exampleId] })
export const CreatedAt = { ...Timestamp, description: 'When it was created.' }
type Single = TSchema & { type?: string; enum?: unknown[]; 'x-rule'?: string }

/** Of what is made new: `null` counts as absent, and so gives the default. Unlike with a union, errors name the member that is wrong. */
export const orAbsent = <Schema extends Single>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null>({
    ...schema,
    ...(schema.enum ? { enum: [...schema.enum, null] } : { type: [schema.type, 'null'] }),
  })

/** Of a change: `null` restores the default. */
export const nullable = <Schema extends Single>(schema: Schema) => {
  const { 'x-rule': text } = schema
  return orAbsent(text ? { ...schema, ...rule(`${text}, or null`) } : schema)
}

const limit = Type.Integer({
  minimum: 1,
  maximum: 1000,
  default: 100,
  ...rule('must be an integer from 1 to 1000'),
  description: 'How many items the page has at most.',
})

export const PageQuery = {
  limit,
  offset: Type.Integer({
    minimum: 0,
    maximum: 2_147_483_647,
    default: 0,
    ...rule('must be an integer from 0 to 2147483647'),
    description: 'How many items to leave out before the page begins.',
  }),
}

export const CursorQuery = {
  limit,
  after: Type.String({ description: 'The `meta.next` of the page before; absent: the first page.' }),
}

const Problem = named(
  'Problem',
  Type.Object(
    {
      httpcode: Type.Integer({ description: 'The status of the answer.', examples: [400] }),
      message: Type.String({
        description: 'Names the field, or the header, and the rule that it breaks.',
        examples: ['name: is required'],
      }),
    },
    { description: 'One thing that is wrong with a request.' },
  ),
)

export const Errors = named(
  'Errors',
  Type.Object(
    { errors: Type.Array(Problem, { description: 'One entry for each thing wrong.' }) },
    { description: 'The answer to a request that was refused.' },
  ),
)

const ErrorCode = named(
  'ErrorCode',
  Type.Union(
    Object.entries(errorCodes).map(([code, { words }]) => Type.Literal(code, { description: words.join('\n\n') })),
    { description: 'The kind of an error, with what its messages say. A later release may know more of them.' },
  ),
)

/** Of a header: separated by commas. */
export const ErrorCodes = Type.Array(ErrorCode, { examples: [['required', 'unknown_field']] })

const Pagination = named(
  'Pagination',
  Type.Object(
    {
      limit: Type.Integer({ description: 'How many items a page has at most.', examples: [100] }),
      offset: Type.Integer({ description: 'How many items come before this page.', examples: [0] }),
      total_count: Type.Integer({ description: 'How many items there are in all.', examples: [1] }),
    },
    { description: 'Where a page stands in its list.' },
  ),
)
const paginationMeta = Type.Object({ pagination: Pagination }, { description: 'About the page.' })

const Continuation = named(
  'Continuation',
  Type.Object(
    {
      next: Type.Optional(
        Type.String({
          description: 'For `after`; absent on the last page.',
          examples: ['ZGVsaXZlcmllcyAwMTk5YTNmMi01YzAwLTcwMDAtODAwMC0wMjQyYWMxMjAwMDI'],
        }),
      ),
      has_more: Type.Optional(
        Type.Boolean({ description: 'True where there is `next`; absent on the last page.', examples: [true] }),
      ),
    },
    { description: 'Where the list goes on.' },
  ),
)

const FeedContinuation = named(
  'FeedContinuation',
  Type.Object(
    {
      next: Type.String({
        description: 'For `after`, now or whenever more is wanted.',
        examples: ['ZXZlbnRzIDAxOTlhM2YyLTVjMDAtNDAwMC04MDAwLTAyNDJhYzEyMDAwMi40Mjk0OTY3Mjk3'],
      }),
      has_more: Type.Boolean({ description: 'Whether there is more already.', examples: [false] }),
    },
    { description: 'Where the feed goes on.' },
  ),
)

const itemsOf = (item: TSchema) => Type.Array(item, { description: 'The items of the page.' })

export const resultEnvelope = (result: TSchema) => Type.Object({ result })
export const pageEnvelope = (item: TSchema) => Type.Object({ result: itemsOf(item), meta: paginationMeta })
export const cursorEnvelope = (item: TSchema) => Type.Object({ result: itemsOf(item), meta: Continuation })
export const feedEnvelope = (item: TSchema) => Type.Object({ result: itemsOf(item), meta: FeedContinuation })
