import { invalidPath } from '../errors.ts'
import type { Filter } from '../filter/filter.ts'
import { maxFilterLength, parseValueFilter } from '../filter/parse-filter.ts'
import type { ResourceSchema } from '../schema/attributes.ts'
import { attributeIn, type KnownPath, refuseForbidden, toPath } from '../schema/paths.ts'

/** What a PATCH names. `attribute` is undefined where the path is legal and nobody knows it. */
export type PatchPath = (KnownPath & { filter?: Filter }) | { attribute: undefined }

const maxPathLength = maxFilterLength

/** Reads `name`, `name.sub`, `name[filter]` and `name[filter].sub`, each also behind a URN (RFC 7644, 3.5.2). Throws `invalidPath`. */
export function readPatchPath(schema: ResourceSchema, text: string): PatchPath {
  if (text.length > maxPathLength) throw invalidPath(`path: must be at most ${maxPathLength} characters`)
  const open = text.indexOf('[')
  const path = open < 0 ? pathIn(schema, text) : filteredIn(schema, text, open)
  if (!path) throw invalidPath(`path: ${JSON.stringify(text.slice(0, 200))} must be that of an attribute`)
  return path
}

function pathIn(schema: ResourceSchema, text: string) {
  for (const name of text.split(/[.:]/)) refuseForbidden(name)
  return toPath(schema, text)
}

function filteredIn(schema: ResourceSchema, text: string, open: number): PatchPath | undefined {
  const close = text.lastIndexOf(']')
  const behind = text.slice(close + 1)
  const whole = pathIn(schema, text.slice(0, open))
  if (close < open || !whole || !/^(?:\.[\w$-]+)?$/.test(behind)) return undefined
  refuseForbidden(behind.slice(1))
  const filter = parseValueFilter(whole.attribute, text.slice(open + 1, close))
  if (!whole.attribute) return whole
  if (!whole.attribute.multiValued || whole.sub)
    throw invalidPath(`path: ${whole.attribute.name} has one value; brackets choose among several`)
  if (!behind) return { ...whole, filter }
  const sub = attributeIn(whole.attribute.subAttributes ?? [], behind.slice(1))
  return sub ? { ...whole, filter, sub } : { attribute: undefined }
}
