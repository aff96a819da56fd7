/** The OpenAPI document as far as it is promised: without descriptions, examples, samples, tags and the address. */
export type Document = {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: { requestBody: Body } }>
  components: {
    parameters: Record<string, Parameter>
    responses: Record<string, Answer>
    schemas: Record<string, Schema>
    securitySchemes: Record<string, Scheme>
  }
}
/** In which header a key comes, for one. */
type Scheme = { type: string; in?: string; name?: string; scheme?: string }
export type Operation = {
  operationId: string
  security: Record<string, string[]>[]
  parameters: (Parameter | Reference)[]
  requestBody?: Body
  responses: Record<string, Answer | Reference>
}
export type Parameter = { name: string; in: string; required?: boolean; schema: Schema }
export type Body = { required: boolean; content: Content }
export type Content = Record<string, { schema: Schema }>
export type Answer = { headers?: Record<string, unknown>; content?: Content }
export type Reference = { $ref: string }
export type Schema = Partial<Reference> & {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  prefixItems?: Schema[]
  contentSchema?: Schema
  uniqueItems?: boolean
  default?: unknown
} & { [Keyword in 'format' | 'pattern' | 'contentMediaType']?: string } & { [Keyword in Bound]?: number }
export type Bound = `${'min' | 'max'}${'Length' | 'Items' | 'imum'}`

const kept = [
  ...['$ref', 'type', 'enum', 'const', 'required', 'uniqueItems', 'default', 'format', 'pattern', 'contentMediaType'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum'],
]
const dropped = ['description', 'examples']

// biome-ignore lint/suspicious/noExplicitAny: a document that was read as JSON
type Given = any

/** Throws for a keyword that no rule of the comparison knows: it would be compared with nothing. */
export function reduceDocument({ openapi, paths, webhooks, components }: Given): Document {
  return {
    openapi,
    paths: each(paths, (methods) => each(methods, reduceOperation)),
    webhooks: each(webhooks, ({ post }) => ({ post: { requestBody: reduceBody(post.requestBody) } })),
    components: {
      parameters: each(components.parameters, reduceParameter),
      responses: each(components.responses, reduceAnswer),
      schemas: each(components.schemas, reduceSchema),
      securitySchemes: each(components.securitySchemes, reduceScheme),
    },
  }
}

const each = <Reduced>(record: Record<string, Given> | undefined, reduce: (value: Given) => Reduced) =>
  Object.fromEntries(
    Object.entries(record ?? {})
      .map(([name, value]) => [name, reduce(value)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )

const reduceScheme = ({ description: _, bearerFormat: __, ...scheme }: Given): Scheme => scheme

const orReference =
  <Reduced>(reduce: (value: Given) => Reduced) =>
  (value: Given): Reduced | Reference =>
    value.$ref ? { $ref: value.$ref } : reduce(value)

const reduceOperation = ({ operationId, security, parameters, requestBody, responses }: Given): Operation => ({
  operationId,
  security,
  parameters: (parameters ?? []).map(orReference(reduceParameter)),
  ...(requestBody && { requestBody: reduceBody(requestBody) }),
  responses: each(responses, orReference(reduceAnswer)),
})

const reduceParameter = ({ name, in: place, required = false, schema }: Given): Parameter => ({
  name,
  in: place,
  required,
  schema: reduceSchema(schema),
})

const reduceBody = ({ required, content }: Given): Body => ({ required, content: reduceContent(content) })

const reduceAnswer = ({ headers, content }: Given): Answer => ({
  ...(headers && { headers: each(headers, () => ({})) }),
  ...(content && { content: reduceContent(content) }),
})

const reduceContent = (content: Given): Content =>
  each(content, ({ schema }: Given) => ({ schema: reduceSchema(schema) }))

function reduceSchema(schema: Given): Schema {
  const members = Object.entries(schema).filter(([keyword]) => !dropped.includes(keyword))
  return Object.fromEntries(members.map(([keyword, value]) => [keyword, reduceKeyword(keyword, value)]))
}

function reduceKeyword(keyword: string, value: Given) {
  if (kept.includes(keyword)) return value
  if (keyword === 'properties') return each(value, reduceSchema)
  if (['anyOf', 'prefixItems'].includes(keyword)) return value.map(reduceSchema)
  if (['items', 'contentSchema'].includes(keyword)) return reduceSchema(value)
  if (keyword === 'additionalProperties') return typeof value === 'object' ? reduceSchema(value) : value
  throw new Error(`no rule compares the keyword ${keyword} of schemas`)
}
