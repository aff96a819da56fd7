import { type Static, type TProperties, type TSchema, Type } from 'typebox'

/** `x-rule` is the sentence a caller reads when the schema is not met: `name: must be 1 to 200 characters`. */
export const rule = (text: string) => ({ 'x-rule': text })

/** A request body or query: unknown members are an error. */
export const closed = <Properties extends TProperties>(properties: Properties, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

export const Name = Type.String({ minLength: 1, maxLength: 200, ...rule('must be 1 to 200 characters') })
export const Description = Type.String({ maxLength: 1000, ...rule('must be at most 1000 characters') })
export const Uuid = Type.String({
  pattern: '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$',
  ...rule('must be a UUID'),
})
export const Timestamp = Type.String({ format: 'date-time', ...rule('must be a time as in RFC 3339') })
export const nullable = <Schema extends TSchema & { 'x-rule'?: string }>(schema: Schema) =>
  Type.Union([schema, Type.Null()], schema['x-rule'] ? rule(`${schema['x-rule']}, or null`) : {})

const limit = Type.Integer({ minimum: 1, maximum: 1000, default: 100, ...rule('must be an integer from 1 to 1000') })

export const PageQuery = {
  limit,
  offset: Type.Integer({
    minimum: 0,
    maximum: 2_147_483_647,
    default: 0,
    ...rule('must be an integer from 0 to 2147483647'),
  }),
}

export const CursorQuery = {
  limit,
  after: Type.String({ description: 'The `meta.next` of the page before; absent: the first page.' }),
}

export const ErrorEnvelope = Type.Object(
  {
    errors: Type.Array(
      Type.Object({
        httpcode: Type.Integer({ description: 'The status of the answer.' }),
        message: Type.String({ description: 'Names the field and the rule.' }),
      }),
    ),
  },
  { description: 'One entry for each thing wrong.' },
)

const Pagination = Type.Object({
  pagination: Type.Object({
    limit: Type.Integer(),
    offset: Type.Integer(),
    total_count: Type.Integer({ description: 'How many there are in all.' }),
  }),
})

const Continuation = Type.Object({
  next: Type.Optional(Type.String({ description: 'For `after`; absent on the last page.' })),
})

export const resultEnvelope = (result: TSchema) => Type.Object({ result })
export const pageEnvelope = (item: TSchema) => Type.Object({ result: Type.Array(item), meta: Pagination })
export const cursorEnvelope = (item: TSchema) => Type.Object({ result: Type.Array(item), meta: Continuation })
export type Pagination = Static<typeof Pagination>
