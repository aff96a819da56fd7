type Schema = {
  type?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  examples?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
}

/** The schema's own first example, otherwise one made of the examples of its parts, if there are any. */
export function exampleOf(schema: Schema): unknown {
  const [own = schema.const ?? schema.default ?? schema.enum?.[0]] = schema.examples ?? []
  if (own !== undefined) return own
  const [first] = schema.anyOf ?? []
  if (first) return exampleOf(first)
  if (schema.items) return [exampleOf(schema.items)].filter((item) => item !== undefined)
  if (schema.type === 'boolean') return true
  return schema.properties && exampleOfMembers(schema.properties)
}

const exampleOfMembers = (properties: Record<string, Schema>) =>
  Object.fromEntries(
    Object.entries(properties)
      .map(([name, schema]) => [name, exampleOf(schema)])
      .filter(([, value]) => value !== undefined),
  )
