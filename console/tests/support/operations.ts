import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Site } from './site.ts'

type Described = Record<string, { operationId: string }>

const document = async (signet: Site['signet']) =>
  (await signet.call('GET', '/openapi.json')).body.paths as Record<string, Described>

/** Gives the operation that a request calls. */
export async function readOperations(signet: Site['signet']) {
  const operations = Object.entries(await document(signet)).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      method: method.toUpperCase(),
      operationId,
      // A fixed path goes before one with parameters.
      parameters: path.split('{').length,
      form: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    })),
  )
  operations.sort((a, b) => a.parameters - b.parameters)
  return (method: string, url: string) => {
    const { pathname } = new URL(url)
    return (
      operations.find((each) => each.method === method && each.form.test(pathname))?.operationId ??
      `${method} ${pathname}`
    )
  }
}

/** They stand for the link alone: the page that calls them has no session, or nothing is written. */
const withoutSession = ['openCredentialLink', 'openDirectoryLink', 'useDirectoryLink']

/** The operations that the source of the console calls, but for those that read. */
export async function writesInSource(signet: Site['signet']): Promise<string[]> {
  const writes = new Set(
    Object.values(await document(signet)).flatMap((methods) =>
      Object.entries(methods).flatMap(([method, { operationId }]) => (method === 'get' ? [] : [operationId])),
    ),
  )
  const folder = join(import.meta.dirname, '../../src')
  const called = globSync('**/*.{ts,tsx}', { cwd: folder }).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/\.(\w+)\(/g)].map(([, name = '']) => name),
  )
  return [...new Set(called.filter((name) => writes.has(name) && !withoutSession.includes(name)))].sort()
}
