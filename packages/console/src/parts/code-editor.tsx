/**
 * An editor for Python. It stands in a shadow root: there it may bring its styles along, which the page's policy forbids anywhere
 * else. Loaded when somebody opens it (`flow/source-editor.tsx`); nothing else may import it.
 */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type Completion,
  completionKeymap,
  type CompletionSource,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { globalCompletion, localCompletionSource, python } from '@codemirror/lang-python'
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'preact/hooks'

/** A word that is offered while somebody types. */
export interface Word {
  readonly label: string
  readonly about: string
  readonly is: 'function' | 'variable'
  /** Put in in place of the label. */
  readonly text?: string
}

export interface CodeEditorProps {
  readonly label: string
  readonly code: string
  readonly isReadOnly: boolean
  readonly words: readonly Word[]
  readonly change: (code: string) => void
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--run)' },
  { tag: [tags.comment], color: 'var(--dim)', fontStyle: 'italic' },
  { tag: [tags.function(tags.variableName), tags.definition(tags.variableName)], color: 'var(--cached)' },
])

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '12px', backgroundColor: 'var(--card)', color: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '18px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--card)', color: 'var(--dim)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 6%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--wash)', outline: '1px solid var(--accent)' },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-tooltip.cm-completionInfo': { padding: '6px 8px', maxWidth: '280px' },
  '.cm-textfield, .cm-button': {
    backgroundColor: 'var(--card)',
    backgroundImage: 'none',
    color: 'var(--text)',
    border: '1px solid var(--idle)',
  },
})

const words = (offered: readonly Word[]): CompletionSource => {
  const options = offered.map(({ label, about, is, text }): Completion => ({
    label,
    info: about,
    type: is,
    boost: 10,
    apply: text ?? label,
  }))
  return (context) => {
    const word = context.matchBefore(/\w*/)
    if (!word || (word.from === word.to && !context.explicit)) return null
    return { from: word.from, options, validFor: /^\w*$/ }
  }
}

const fixed: Extension = [
  lineNumbers(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  indentOnInput(),
  indentUnit.of('    '),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  python(),
  syntaxHighlighting(colours),
  look,
  keymap.of([
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
    ...searchKeymap,
    ...historyKeymap,
    indentWithTab,
  ]),
]

export default function CodeEditor({ label, code, isReadOnly, words: offered, change }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const mode = useRef(new Compartment())
  const tell = useRef(change)
  tell.current = change
  const vary = (): Extension => [
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': String(isReadOnly) }),
    autocompletion({ override: [words(offered), localCompletionSource, globalCompletion] }),
  ]
  useEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const made = new EditorView({
      doc: code,
      root,
      parent: root,
      extensions: [
        fixed,
        mode.current.of(vary()),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !update.transactions.some((one) => one.isUserEvent('set')))
            tell.current(update.state.doc.toString())
        }),
      ],
    })
    view.current = made
    return () => {
      made.destroy()
      view.current = null
    }
  }, [])
  useEffect(() => view.current?.dispatch({ effects: mode.current.reconfigure(vary()) }), [label, isReadOnly, offered])
  useEffect(() => {
    const now = view.current
    if (!now || now.state.doc.toString() === code) return
    // it was undone, or somebody else has changed it
    now.dispatch({ changes: { from: 0, to: now.state.doc.length, insert: code }, userEvent: 'set' })
  }, [code])
  return <div class="code-editor" ref={host} />
}
