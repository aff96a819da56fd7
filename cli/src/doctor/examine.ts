import type { Context } from '../context.ts'
import { CommandError } from '../failure.ts'
import { printable } from '../output.ts'
import { type Finding, finding } from './finding.ts'
import { examineReceivers } from './receivers.ts'
import { examineAddress, examineKey, examineService, examineStream } from './service.ts'

/** In this order: what is wrong at the service may follow from its settings, and where the service does not answer, nothing else can be checked. */
export async function examine(context: Context) {
  const all = await print(context, (await context.examineMore?.()) ?? [])
  const place = context.place()
  const service = await examineService(place.url)
  all.push(...(await print(context, service.findings)))
  if (service.isReached && place.organizationId)
    all.push(...(await print(context, [await examineAddress(place.url, place.organizationId)])))
  if (service.isReached) all.push(...(await examineAsKey(context, place)))
  const wrong = all.filter(({ result }) => result === 'wrong').length
  if (wrong > 0) throw new CommandError(`Wrong: ${wrong} of ${all.length} checks`)
}

async function examineAsKey(context: Context, place: ReturnType<Context['place']>): Promise<Finding[]> {
  if (!place.apiKey)
    return print(context, [finding('API key', 'unknown', 'there is none: give --api-key or SIGNET_API_KEY')])
  const connection = context.connect()
  const key = await examineKey(connection)
  const found = await print(context, [key])
  if (key.result === 'wrong') return found
  found.push(...(await print(context, [await examineStream(connection)])))
  found.push(...(await print(context, await examineReceivers(connection))))
  return found
}

async function print({ output }: Context, findings: Finding[]): Promise<Finding[]> {
  const { green, yellow, red, dim } = output.colors
  const marks = { ok: green('ok     '), warning: yellow('warning'), wrong: red('WRONG  '), unknown: dim('unknown') }
  for (const each of findings)
    await output.show(
      { type: 'finding', ...each },
      `${marks[each.result]} ${printable(`${each.check}: ${each.message}`)}`,
    )
  return findings
}
