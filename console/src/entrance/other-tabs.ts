import { pageOrganization } from '../service/address.ts'

/** Between tabs of one organization, or of the operator. It carries no secret: a tab that hears of a sign-in asks the service itself. */
const openChannel = () => new BroadcastChannel(`signet-console-${pageOrganization ?? 'operator'}`)

export function tellOtherTabs() {
  const channel = openChannel()
  channel.postMessage('signed in')
  channel.close()
}

/** Also when somebody comes back to this tab, should the other one have been closed too soon. Gives what ends it. */
export function onSignInElsewhere(act: () => unknown) {
  const channel = openChannel()
  channel.onmessage = act
  addEventListener('focus', act)
  return () => {
    channel.close()
    removeEventListener('focus', act)
  }
}
