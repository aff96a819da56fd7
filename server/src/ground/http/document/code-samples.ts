import type { TSchema } from 'typebox'
import { inShell } from '../../runtime/in-shell.ts'
import type { Operation } from '../chain/operation.ts'
import { exampleOf } from './example.ts'

type Sample = { lang: string; label: string; source: string }

/**
 * How a request is sent, as the reference page shows it: what it must have and an example of its body, with the organization and its key
 * from the environment, as everywhere in the documentation.
 */
export function codeSamplesOf(operation: Operation, baseUrl: string): Sample[] {
  const shell = { lang: 'shell', label: 'curl', source: curl(operation, baseUrl) }
  const client = { lang: 'typescript', label: '@signet/management', source: managementClient(operation, baseUrl) }
  return isOfManagement(operation) ? [shell, client] : [shell]
}

/** What browsers and anybody else call has clients of its own, and streams are read by other means. */
const isOfManagement = ({ access, eventStream }: Operation) =>
  (access === 'key' || access === 'operator') && eventStream !== 'always'

const headersOf: Record<Operation['access'], string[]> = {
  key: ['Service-OrgID: $SIGNET_ORGANIZATION_ID', 'Service-API-Key: $SIGNET_API_KEY'],
  operator: ['Service-Operator-Key: $SIGNET_OPERATOR_KEY'],
  organization: ['Service-OrgID: $SIGNET_ORGANIZATION_ID'],
  organization_in_path: [],
  link: [],
}

function curl(operation: Operation, baseUrl: string): string {
  const { method, access, eventStream, body, bytes } = operation
  const headers = [
    ...headersOf[access],
    ...(eventStream === 'always' ? ['Accept: text/event-stream'] : []),
    ...(body ? ['Content-Type: application/json'] : []),
    ...(bytes ? [`Content-Type: ${bytes.mediaTypes[0]}`] : []),
  ]
  const json = body && inShell(JSON.stringify(exampleOf(body), null, 2))
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${baseUrl}${addressOf(operation)}"`,
    ...headers.map((header) => `-H "${header}"`),
    ...(json ? [`-d ${json}`] : []),
    ...(bytes ? ['--data-binary @file'] : []),
  ].join(' \\\n  ')
}

function addressOf({ path, params, query }: Operation): string {
  const values = requiredOf(params)
  const filled = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(values[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(requiredOf(query))) search.set(name, String(value))
  return search.size > 0 ? `${filled}?${search}` : filled
}

type WithProperties = { properties?: Record<string, TSchema>; required?: string[] }

function requiredOf(schema: TSchema | undefined): Record<string, unknown> {
  const { properties = {}, required = [] } = (schema ?? {}) as WithProperties
  return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]))
}

function managementClient(operation: Operation, baseUrl: string): string {
  const { id, access, params, query, body, bytes } = operation
  const key =
    access === 'operator'
      ? ['operatorKey: process.env.SIGNET_OPERATOR_KEY ?? ""']
      : ['organizationId: process.env.SIGNET_ORGANIZATION_ID ?? ""', 'apiKey: process.env.SIGNET_API_KEY ?? ""']
  const parts = { path: requiredOf(params), query: requiredOf(query), body: body && exampleOf(body) }
  const given = Object.entries(parts).filter(([, part]) => Object.keys((part ?? {}) as object).length > 0)
  const json = given.length > 0 ? JSON.stringify(Object.fromEntries(given), null, 2) : ''
  const input = bytes ? "{ body: await openAsBlob('file') }" : json
  const options = [`baseUrl: ${JSON.stringify(baseUrl)}`, ...key].map((option) => `  ${option},\n`).join('')
  return [
    ...(bytes ? ["import { openAsBlob } from 'node:fs'"] : []),
    "import { Signet } from '@signet/management'",
    '',
    `const signet = new Signet({\n${options}})`,
    `console.log(await signet.${id}(${input}))`,
  ].join('\n')
}
