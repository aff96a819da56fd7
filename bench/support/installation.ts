import type { Published, PublishOrder } from '../programs/publisher.ts'
import { times } from './client.ts'
import type { Credentials } from './exchange.ts'
import { addWebhook, makeOrganization } from './organizations.ts'
import type { Program } from './program.ts'
import type { openReceivers, Receiver } from './receivers.ts'
import { benchEvent } from './sender.ts'
import { type Signet, settingsOn, startSignet } from './signet.ts'
import { inFlight, type Work } from './ways.ts'

/** Signet on one database, in one process or several. */
export type Installation = {
  processes: Signet[]
  /** By the path of the receiver that its one webhook calls. */
  organizations: Map<string, Credentials>
}

export type Stage = {
  folder: string
  cleanup: AsyncDisposableStack
  receivers: Awaited<ReturnType<typeof openReceivers>>
  receiver: Receiver
  publisher: Program
}

/** With an organization and a webhook for each of the paths. */
export async function install(
  { folder, cleanup, receivers, receiver }: Stage,
  databaseUrl: string,
  processCount: number,
  paths: string[],
): Promise<Installation> {
  const settings = {
    ...settingsOn(databaseUrl),
    ...receivers.settings(),
    SIGNET_MAX_CONCURRENCY_PER_WEBHOOK: `${inFlight}`,
    SIGNET_MAX_CONCURRENCY_PER_ORGANIZATION: `${inFlight}`,
    SIGNET_MAX_CONCURRENCY: `${inFlight}`,
  }
  const first = await startSignet(folder, cleanup, settings)
  const processes = [first]
  while (processes.length < processCount) processes.push(await startSignet(folder, cleanup, settings))
  const organizations = await times(paths.length, async (n): Promise<[string, Credentials]> => {
    const path = paths[n] as string
    const organization = await makeOrganization(first)
    await addWebhook(first, organization, receiver.url(path), benchEvent)
    return [path, organization]
  })
  return { processes, organizations: new Map(organizations) }
}

/** Publishes over HTTP, to the processes in turn. */
export const publish = ({ publisher }: Stage, { processes, organizations }: Installation, work: Work) =>
  publisher.ask<Published>(
    toOrder(
      processes.map(({ port }) => port),
      organizations,
      work,
    ),
  )

export const toOrder = (
  port: number | number[],
  organizations: Installation['organizations'],
  { paths, deliveries, perCall, callers, everyMs }: Work,
): PublishOrder => ({
  port,
  what: 'POST /test-events',
  callers,
  organizations: paths.map((path) => organizations.get(path) as Credentials),
  json: JSON.stringify(Array.from({ length: perCall }, () => ({ event_name: benchEvent }))),
  calls: deliveries / perCall,
  ...(everyMs !== undefined && { everyMs, tellIds: true }),
})
