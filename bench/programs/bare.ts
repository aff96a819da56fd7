// A part of `npm run bench -- management`, in a process of its own: the statements behind two routes of Fastify as it comes,
// without any of Signet's checks, limits, envelopes and deadlines. Asked for anything, it says its port.
import fastify from 'fastify'
import { openStatements } from '../support/statements.ts'

const statements = openStatements(JSON.parse(process.argv[2] ?? ''))
const app = fastify()

const callerOf = (headers: Record<string, string | string[] | undefined>) => ({
  organizationId: String(headers['service-orgid']),
  apiKey: String(headers['service-api-key']),
})

app.post<{ Body: { name: string } }>('/groups', async (request, reply) => {
  reply.code(201)
  return { result: await statements.create(callerOf(request.headers), request.body.name) }
})
app.put<{ Params: { id: string }; Body: { groups: string[] } }>('/persons/:id/groups', async (request) => ({
  result: await statements.set(callerOf(request.headers), request.params.id, request.body.groups),
}))

process.on('disconnect', () => process.exit())
process.on('message', async () => {
  await app.listen({ host: '127.0.0.1', port: 0 })
  process.send?.((app.server.address() as { port: number }).port)
})
