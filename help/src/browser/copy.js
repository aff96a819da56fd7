/** A button above each block of code, where the browser lets a page write to the clipboard: not at an address of another machine without TLS. */
export function startCopying() {
  if (!navigator.clipboard) return
  for (const block of document.querySelectorAll('.code')) {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' })
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code')?.textContent ?? '')
      button.textContent = 'Copied'
    })
    button.addEventListener('blur', () => (button.textContent = 'Copy'))
    block.firstElementChild?.append(button)
  }
}
