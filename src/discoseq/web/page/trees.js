/* What the page needs to know about a tree that came as JSON: children, paths, words with gaps. */

/** The phrase of a constituent; an ellipsis stands for a gap. */
export function phrase(tree, constituent) {
  return constituent.blocks.map(([start, end]) => tree.words.slice(start, end).join(" ")).join(" … ");
}

/** What a reader may want to know about a constituent, in short parts. */
export function describe(tree, constituent) {
  const gaps = constituent.blocks.length - 1;
  const parts = [phrase(tree, constituent)];
  if (gaps > 0) {
    parts.push(gaps === 1 ? "discontinuous, one gap" : `discontinuous, ${gaps} gaps`);
  }
  if (typeof constituent.confidence === "number") {
    parts.push(`confidence ${constituent.confidence.toFixed(2)}`);
  }
  return parts;
}

/** The numbers of the children of every constituent, in order. */
export function childrenOf(tree) {
  const children = tree.constituents.map(() => []);
  for (const constituent of tree.constituents) {
    if (constituent.parent !== null) {
      children[constituent.parent].push(constituent.number);
    }
  }
  return children;
}

/** A constituent and all below it. */
export function family(children, number) {
  const found = [];
  const agenda = [number];
  while (agenda.length) {
    const next = agenda.pop();
    found.push(next);
    agenda.push(...children[next]);
  }
  return found;
}

/** The constituents over a word, the lowest first. */
export function ancestors(tree, word) {
  const over = tree.constituents.filter((constituent) => constituent.words.includes(word));
  return over.map((constituent) => constituent.number).reverse(); // a parent has a smaller number than its children
}

/** A text that is the same for constituents of one label over the same words, in any tree of the sentence. */
export function signature(constituent) {
  return `${constituent.words.join(",")} ${constituent.label}`;
}

/** The keys of constituents, as views mark them. */
export function constituentKeys(numbers) {
  return numbers.map((number) => `c${number}`);
}

/** The numbers of the constituents of one tree that the other has not. */
export function onlyIn(tree, other) {
  const left = new Map();
  for (const constituent of other.constituents) {
    left.set(signature(constituent), (left.get(signature(constituent)) ?? 0) + 1);
  }
  return tree.constituents.filter((constituent) => {
    const remaining = left.get(signature(constituent)) ?? 0;
    left.set(signature(constituent), remaining - 1);
    return remaining <= 0;
  }).map((constituent) => constituent.number);
}

/** For each step of a derivation, the constituents that have been closed, and the one that has just been. */
export function progress(tree, steps) {
  const built = new Set();
  return steps.map((step) => {
    const top = step.stack.at(-1);
    let latest = null;
    if (top?.kind === "constituent" && /^(RE|\))/.test(step.action ?? "")) {
      // of a chain with equal labels, the lowest is closed first, and it has the largest number
      const equal = tree.constituents.filter((one) => signature(one) === signature(top) && !built.has(one.number));
      latest = equal.at(-1)?.number ?? null;
      if (latest !== null) {
        built.add(latest);
      }
    }
    return { built: new Set(built), latest };
  });
}
