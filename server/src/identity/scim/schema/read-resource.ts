import { invalidValue, tooLarge } from '../errors.ts'
import type { Resource, ResourceSchema } from './attributes.ts'
import { attributesOf, schemaNamed } from './paths.ts'
import { isObject, readMembers, requireMembers } from './read-value.ts'

/** What is kept of one resource, as JSON; the members of a group have a bound of their own. */
const maxResourceBytes = 16_384

/**
 * A resource as a client sent it, by canonical names. Unknown and read-only attributes and empty texts are left out; `"True"` and
 * `"False"` are booleans. Throws `invalidValue`, which names the attribute: `emails[0].value: …`.
 */
export function readResource(schema: ResourceSchema, body: object): Resource {
  const resource = readMembers(attributesOf(schema), body, '')
  for (const [name, value] of Object.entries(body)) {
    const extension = schemaNamed(schema, name)
    if (!extension || extension === schema || value === null) continue
    if (!isObject(value)) throw invalidValue(`${extension.id}: must be an object`)
    const own = readMembers(extension.attributes, value, `${extension.id}:`)
    if (Object.keys(own).length > 0) resource[extension.id] = own
  }
  requireMembers(schema.attributes, resource, '')
  requireBounded(resource)
  return resource
}

export function requireBounded(resource: Resource) {
  const { members: _, ...kept } = resource
  if (Buffer.byteLength(JSON.stringify(kept)) > maxResourceBytes)
    throw tooLarge(`attributes: must be at most ${maxResourceBytes / 1_024} KiB as JSON in all`)
}
