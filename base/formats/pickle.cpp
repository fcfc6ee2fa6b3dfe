#include "base/formats/pickle.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "base/check.h"
#include "base/printable.h"

namespace glossa {

namespace {

constexpr std::size_t max_pickled = 1 << 16;  // limit for the stack, the memo, and all values; enough for 3,000 tensors
constexpr std::string_view ordered_dict = "collections OrderedDict";

}  // namespace

std::string shown(std::string_view text) { return printable_line(text.substr(0, 200)); }

/// Stack machine that runs a pickle.
class PickleMachine {
 public:
  PickleMachine(Pickle& pickle, std::string_view bytes, std::span<const std::string_view> names,
                const std::string& where)
      : pickle_(pickle), bytes_(bytes), names_(names), where_(where) {}

  void run() {
    require(byte() == '\x80' && byte() == 2, "expected a pickle of protocol 2; got another");
    while (pickle_.root_ == nullptr) step();
    pickle_.size_ = at_;
  }

 private:
  using Kind = PickleValue::Kind;

  template <class... Args>
  void require(bool ok, Sentence<Args...> sentence, const Args&... args) const {
    if (ok) return;
    Error::Parts parts = Error::Parts::of(where_, sentence, args...);
    parts.expected += fmt::format(" at byte {} of the pickle", at_);
    throw Error(Error::Kind::failure, parts.with_hint("the file is damaged, or contains more than tensors"));
  }

  std::string_view take(std::size_t count) {
    require(count <= bytes_.size() - at_, "expected {} more bytes; got the end", count);
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  char byte() { return take(1).front(); }

  /// Takes a little-endian number of `count` bytes, in two's complement if `is_signed`.
  std::int64_t number(std::size_t count, bool is_signed) {
    const std::string_view bytes = take(count);
    std::uint64_t bits = is_signed && count > 0 && (bytes.back() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
    for (std::size_t i = count; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
    return static_cast<std::int64_t>(bits);
  }
  std::string_view line() {
    const std::size_t end = bytes_.find('\n', at_);
    require(end != bytes_.npos, "expected the end of a name; not found");
    const std::string_view result = take(end - at_);
    take(1);
    return result;
  }

  PickleValue& make(Kind kind) {
    require(pickle_.values_.size() < max_pickled, "expected at most {} values; got more", max_pickled);
    return pickle_.values_.emplace_back(PickleValue{.kind = kind});
  }
  void push(PickleValue& value) {
    require(stack_.size() < max_pickled, "expected at most {} values on the stack; got more", max_pickled);
    stack_.push_back(&value);
  }
  void push_number(Kind kind, std::int64_t value) {
    PickleValue& made = make(kind);
    made.integer = value;
    push(made);
  }
  PickleValue& pop() {
    require(stack_.size() > floor(), "expected a value on the stack; not found");
    PickleValue& value = *stack_.back();
    stack_.pop_back();
    return value;
  }
  PickleValue& top(Kind kind, std::string_view what) {
    require(stack_.size() > floor() && stack_.back()->kind == kind, "expected {} on the stack; not found", what);
    return *stack_.back();
  }
  /// Index of the first value after the last mark.
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  std::vector<const PickleValue*> pop_to_mark() {
    require(!marks_.empty(), "expected a mark on the stack; not found");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<const PickleValue*> values(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return values;
  }
  void push_tuple(std::size_t count) {
    PickleValue& tuple = make(Kind::tuple);
    tuple.items.resize(count);
    for (std::size_t i = count; i-- > 0;) tuple.items[i] = &pop();
    push(tuple);
  }
  void put(std::int64_t place) {
    require(stack_.size() > floor(), "expected a value to remember; not found");
    memo_[place] = stack_.back();
    require(memo_.size() <= max_pickled, "expected at most {} values to remember; got more", max_pickled);
  }
  void get(std::int64_t place) {
    const auto found = memo_.find(place);
    require(found != memo_.end(), "expected a remembered value {}; not found", place);
    push(*found->second);
  }
  void append(Kind kind, std::string_view what, const std::vector<const PickleValue*>& values) {
    PickleValue& target = top(kind, what);
    require(kind != Kind::dict || values.size() % 2 == 0, "expected a value for every key; got a key alone");
    target.items.insert(target.items.end(), values.begin(), values.end());
  }

  void global() {
    const std::string_view module = line(), own = line();
    std::string name = fmt::format("{} {}", module, own);
    if (name != ordered_dict && std::ranges::find(names_, name) == names_.end())
      fail(where_,
           "expected only named tensors in the pickle; got '{}.{}' at byte {}, which no state_dict needs. Hint: save "
           "only the model's state_dict()",
           shown(module), shown(own), at_);
    PickleValue& value = make(Kind::name);
    value.text = std::move(name);
    push(value);
  }
  void reduce() {
    const PickleValue& arguments = pop();
    const PickleValue& callee = pop();
    require(arguments.kind == Kind::tuple && callee.kind == Kind::name,
            "expected a name and a tuple to call it with; got other values");
    constexpr std::size_t max_arguments = 16;  // each call copies its arguments; a tensor's call has seven
    require(arguments.items.size() <= max_arguments, "expected a call of few arguments; got more");
    const bool makes_dict = callee.text == ordered_dict;
    require(!makes_dict || arguments.items.empty(), "expected an empty OrderedDict; got values in it");
    PickleValue& result = make(makes_dict ? Kind::dict : Kind::call);
    if (!makes_dict) {
      result.text = callee.text;
      result.items = arguments.items;
    }
    push(result);
  }

  void push_text() {
    const std::string_view text = take(static_cast<std::size_t>(number(4, false)));
    PickleValue& value = make(Kind::text);
    value.text = text;
    push(value);
  }
  void push_long() {
    const auto length = static_cast<std::size_t>(number(1, false));
    require(length <= 8, "expected a number of at most 64 bits; got more");
    push_number(Kind::integer, number(length, true));
  }
  void push_items(Kind kind, std::vector<const PickleValue*> items) {
    PickleValue& value = make(kind);
    value.items = std::move(items);
    push(value);
  }
  void mark() {
    require(marks_.size() < max_pickled, "expected at most {} marks; got more", max_pickled);
    marks_.push_back(stack_.size());
  }
  void append_pair() {
    const PickleValue *value = &pop(), *key = &pop();
    append(Kind::dict, "a dict", {key, value});
  }
  /// Ignores the attributes of a dict, such as a state_dict's _metadata.
  void build() {
    require(pop().kind == Kind::dict, "expected attributes by name; got another value");
    top(Kind::dict, "a dict");
  }
  void stop() {
    pickle_.root_ = &pop();
    require(stack_.empty() && marks_.empty(), "expected one value at the end; got more");
  }

  struct Opcode {
    char code;
    void (*run)(PickleMachine& machine);
  };

  void step() {
    static constexpr Opcode opcodes[]{
        {'N', [](PickleMachine& m) { m.push(m.make(Kind::none)); }},
        {'\x88', [](PickleMachine& m) { m.push_number(Kind::boolean, 1); }},
        {'\x89', [](PickleMachine& m) { m.push_number(Kind::boolean, 0); }},
        {'K', [](PickleMachine& m) { m.push_number(Kind::integer, m.number(1, false)); }},
        {'M', [](PickleMachine& m) { m.push_number(Kind::integer, m.number(2, false)); }},
        {'J', [](PickleMachine& m) { m.push_number(Kind::integer, m.number(4, true)); }},
        {'\x8A', [](PickleMachine& m) { m.push_long(); }},
        {'X', [](PickleMachine& m) { m.push_text(); }},
        {')', [](PickleMachine& m) { m.push_tuple(0); }},
        {'\x85', [](PickleMachine& m) { m.push_tuple(1); }},
        {'\x86', [](PickleMachine& m) { m.push_tuple(2); }},
        {'\x87', [](PickleMachine& m) { m.push_tuple(3); }},
        {'(', [](PickleMachine& m) { m.mark(); }},
        {'t', [](PickleMachine& m) { m.push_items(Kind::tuple, m.pop_to_mark()); }},
        {']', [](PickleMachine& m) { m.push(m.make(Kind::list)); }},
        {'a', [](PickleMachine& m) { m.append(Kind::list, "a list", {&m.pop()}); }},
        {'e', [](PickleMachine& m) { m.append(Kind::list, "a list", m.pop_to_mark()); }},
        {'}', [](PickleMachine& m) { m.push(m.make(Kind::dict)); }},
        {'s', [](PickleMachine& m) { m.append_pair(); }},
        {'u', [](PickleMachine& m) { m.append(Kind::dict, "a dict", m.pop_to_mark()); }},
        {'q', [](PickleMachine& m) { m.put(m.number(1, false)); }},
        {'r', [](PickleMachine& m) { m.put(m.number(4, false)); }},
        {'h', [](PickleMachine& m) { m.get(m.number(1, false)); }},
        {'j', [](PickleMachine& m) { m.get(m.number(4, false)); }},
        {'c', [](PickleMachine& m) { m.global(); }},
        {'R', [](PickleMachine& m) { m.reduce(); }},
        {'b', [](PickleMachine& m) { m.build(); }},
        {'Q', [](PickleMachine& m) { m.push_items(Kind::persistent, {&m.pop()}); }},
        {'.', [](PickleMachine& m) { m.stop(); }},
    };
    const std::size_t begin = at_;
    const char code = byte();
    const auto opcode = std::ranges::find(opcodes, code, &Opcode::code);
    if (opcode != std::end(opcodes)) return opcode->run(*this);
    fail(where_,
         "expected a pickle of tensors; got opcode {:#04x} at byte {}, which no state_dict needs. Hint: save only the "
         "model's state_dict(), with torch.save's default protocol",
         static_cast<unsigned char>(code), begin);
  }

  Pickle& pickle_;
  std::string_view bytes_;
  std::span<const std::string_view> names_;
  const std::string& where_;
  std::size_t at_ = 0;
  std::vector<PickleValue*> stack_;
  std::vector<std::size_t> marks_;  // size of the stack at each mark
  std::unordered_map<std::int64_t, PickleValue*> memo_;
};

Pickle::Pickle(std::string_view bytes, std::span<const std::string_view> names, const std::string& where) {
  PickleMachine(*this, bytes, names, where).run();
}

}  // namespace glossa
