/** A schema as the document shows it: named ones by reference, and without Signet's own keywords. */
export type Refer = (schema: unknown) => unknown

type Components = {
  /** Each schema by its name, in the order of the names. */
  schemas(): Record<string, unknown>
  refer: Refer
}

/** Collects the schemas that have a name (`named`). */
export function createComponents(): Components {
  const schemas = new Map<string, unknown>()

  const refer: Refer = (schema) => {
    if (Array.isArray(schema)) return schema.map(refer)
    if (typeof schema !== 'object' || schema === null) return schema
    const { 'x-component': name, ...parts } = schema as Record<string, unknown>
    const shown = Object.entries(parts).filter(([key]) => !key.startsWith('x-'))
    const referred = withType(Object.fromEntries(shown.map(([key, part]) => [key, refer(part)])))
    return typeof name === 'string' ? keep(name, referred) : referred
  }

  const keep = (name: string, schema: object) => {
    const known = schemas.get(name) ?? schema
    if (JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas have the name ${name}`)
    schemas.set(name, schema)
    return { $ref: `#/components/schemas/${name}` }
  }

  return { refer, schemas: () => Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))) }
}

/** Client generators need the type of an enum of strings. */
const withType = (schema: Record<string, unknown>) =>
  Array.isArray(schema.enum) && !schema.type && schema.enum.every((word) => typeof word === 'string')
    ? { type: 'string', ...schema }
    : schema
