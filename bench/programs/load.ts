// A part of `npm run bench -- management`, in a process of its own: the callers over HTTP. On a machine with few cores the
// load takes its share of them from the server, so it is the cheapest there is (`support/exchange.ts`).
import { type Exchange, openExchange, textOfRequest } from '../support/exchange.ts'
import { clients, groupsToSet, groupToCreate, type Order, obeyOrders } from '../support/rounds.ts'

const connections = new Map<number, Exchange[]>()

obeyOrders(async (order) => {
  const exchanges =
    connections.get(order.port) ?? (await Promise.all(Array.from({ length: clients }, () => openExchange(order.port))))
  connections.set(order.port, exchanges)
  const request = order.operation === 'create' ? creating(order) : setting(order)
  return async (n, client) => void (await (exchanges[client] as Exchange).send(request(n)))
})

const creating = (order: Order) => (n: number) =>
  textOf(order, 'POST /groups', { name: groupToCreate(order.series, n) })

const setting = (order: Order) => (n: number) => {
  const { personId, groups } = groupsToSet(order.personIds, n)
  return textOf(order, `PUT /persons/${personId}/groups`, { groups })
}

const textOf = ({ port, ...caller }: Order, what: string, body: object) =>
  textOfRequest(port, what, caller, JSON.stringify(body))
